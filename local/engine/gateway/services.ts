/** Puts the services behind the gateway and opens its port. */
import type { Duplex } from 'node:stream';
import { apigatewayService } from '../../services/apigateway/gateway.ts';
import { cloudformationService } from '../../services/cloudformation/gateway.ts';
import type { Stack } from '../../services/cloudformation/stack.ts';
import { logsService } from '../../services/cloudwatch/logs-gateway.ts';
import type { EngineName } from '../../services/dynamodb/database.ts';
import { dynamodbService } from '../../services/dynamodb/gateway.ts';
import type { EventDeliveries } from '../../services/events/deliveries.ts';
import { eventsService } from '../../services/events/gateway.ts';
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
import { upgradeForThisMachine } from '../host-check.ts';
import { close, listen } from '../ports.ts';
import { type GatewayServices, gatewayServer } from './gateway.ts';
import { takePlainAndTls } from './plain-or-tls.ts';
import type { GatewayService } from './service.ts';

export type GatewayOptions = {
  world: World;
  lambda: LambdaService;
  iot: IotService;
  events: EventDeliveries;
  signal: WriteSignal;
  stack: Stack;
  port: number;
  engine: EngineName;
  log(line: string): void;
};

export async function startGateway(options: GatewayOptions): Promise<{ close(): Promise<void> }> {
  const { world, lambda, iot, signal } = options;
  const { account, roles, queues, database } = world;
  const mappings = [...world.streamMappings, ...world.queueMappings];
  const startedAtMs = Date.now();
  const { region } = account;
  const services: GatewayServices = new Map<string, GatewayService>([
    [
      'dynamodb',
      dynamodbService({
        ...{ account, roles, signal, tables: world.tables, streamShards: world.streamShards },
        address: database.address,
        engineRegion: options.engine === 'dynoxide' ? 'dynoxide' : 'ddblocal',
      }),
    ],
    ['sqs', sqsService(account, world.gatewayUrl, roles, queues)],
    ['sns', snsService(roles, queues)],
    ['s3', s3Service(roles, queues, region)],
    ['lambda', lambdaGateway({ roles, lambda, mappings, account, startedAtMs })],
    [
      'events',
      eventsService({
        ...{ account, roles, buses: world.eventBuses, rules: world.eventRules },
        nowMs: Date.now,
        accept: options.events.accept,
      }),
    ],
    ['secretsmanager', secretsmanagerService(roles, world.secrets)],
    ['sts', stsService(roles)],
    ['iotdata', iotGateway('iotdata', roles, iot)],
    ['iot', iotGateway('iot', roles, iot)],
    ['cloudformation', cloudformationService(roles, options.stack)],
    ['apigateway', apigatewayService(roles, world.apis, region, startedAtMs)],
    ['logs', logsService(world)],
  ]);
  const server = gatewayServer(
    services,
    roles,
    world.isKnownHost,
    () => lambda.counters(),
    options.log,
  );
  const endConnections = takePlainAndTls(server, iot.serverCertificate);
  const upgraded = new Set<Duplex>();
  server.on(
    'upgrade',
    upgradeForThisMachine(world.isKnownHost, (message, socket, head) => {
      upgraded.add(socket);
      socket.once('close', () => upgraded.delete(socket));
      iot.upgrade(message, socket, head);
    }),
  );
  await listen(server, options.port);
  return {
    close: async () => {
      for (const socket of upgraded) socket.destroy();
      const closed = close(server);
      endConnections();
      await closed;
      for (const service of services.values()) service.close?.();
    },
  };
}
