/** Puts the services behind the gateway and opens its port. */
import { arnOf } from '../account.ts';
import type { EngineName } from '../database/engine.ts';
import type { WriteSignal } from '../events/write-signal.ts';
import type { IotService } from '../iot/service.ts';
import type { LambdaService } from '../lambda/service.ts';
import { close, listen } from '../ports.ts';
import type { World } from '../world.ts';
import { dynamodbService } from './dynamodb.ts';
import { type GatewayServices, gatewayServer } from './gateway.ts';
import { iotGateway } from './iot.ts';
import { lambdaGateway } from './lambda.ts';
import { s3Service } from './s3.ts';
import { secretsmanagerService } from './secretsmanager.ts';
import { snsService } from './sns.ts';
import { sqsService } from './sqs.ts';
import { stsService } from './sts.ts';

export interface GatewayOptions {
  world: World;
  lambda: LambdaService;
  iot: IotService;
  signal: WriteSignal;
  port: number;
  engine: EngineName;
  log(line: string): void;
}

export async function startGateway(options: GatewayOptions): Promise<{ close(): Promise<void> }> {
  const { world, lambda, iot, signal } = options;
  const { account, roles, queues, database } = world;
  const services: GatewayServices = {
    dynamodb: dynamodbService({
      account,
      roles,
      signal,
      host: database.host,
      port: database.port,
      engineRegion: options.engine === 'dynoxide' ? 'dynoxide' : 'ddblocal',
    }),
    sqs: sqsService(account, world.gatewayUrl, roles, queues),
    sns: snsService(roles, queues),
    s3: s3Service(roles, queues, account.region),
    lambda: lambdaGateway(roles, lambda, (name) => arnOf(account, 'lambda', `function:${name}`)),
    secretsmanager: secretsmanagerService(roles, world.secrets),
    sts: stsService(roles),
    iotdata: iotGateway('iotdata', roles, iot),
    iot: iotGateway('iot', roles, iot),
  };
  const server = gatewayServer(services, roles, options.log);
  await listen(server, options.port);
  return {
    close: async () => {
      await close(server);
      for (const service of Object.values(services)) service.close?.();
    },
  };
}
