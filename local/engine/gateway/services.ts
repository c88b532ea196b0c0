/** Puts the services behind the gateway and opens its port. */
import { arnOf } from '../../account.ts';
import type { EngineName } from '../../services/dynamodb/database.ts';
import { dynamodbService } from '../../services/dynamodb/gateway.ts';
import { stsService } from '../../services/iam/sts-gateway.ts';
import { iotGateway } from '../../services/iot/gateway.ts';
import type { IotService } from '../../services/iot/service.ts';
import type { WriteSignal } from '../../services/lambda/event-sources/stream/write-signal.ts';
import { lambdaGateway } from '../../services/lambda/gateway.ts';
import type { LambdaService } from '../../services/lambda/service.ts';
import { s3Service } from '../../services/s3/gateway.ts';
import { secretsmanagerService } from '../../services/secrets/gateway.ts';
import { snsService } from '../../services/sns/gateway.ts';
import { sqsService } from '../../services/sqs/gateway.ts';
import type { World } from '../../world.ts';
import { close, listen } from '../ports.ts';
import { type GatewayServices, gatewayServer } from './gateway.ts';

export type GatewayOptions = {
  world: World;
  lambda: LambdaService;
  iot: IotService;
  signal: WriteSignal;
  port: number;
  engine: EngineName;
  log(line: string): void;
};

export async function startGateway(options: GatewayOptions): Promise<{ close(): Promise<void> }> {
  const { world, lambda, iot, signal } = options;
  const { account, roles, queues, database } = world;
  const services: GatewayServices = {
    dynamodb: dynamodbService({
      account,
      roles,
      signal,
      address: database.address,
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
  const server = gatewayServer(services, roles, world.isKnownHost, options.log);
  await listen(server, options.port);
  return {
    close: async () => {
      await close(server);
      for (const service of Object.values(services)) service.close?.();
    },
  };
}
