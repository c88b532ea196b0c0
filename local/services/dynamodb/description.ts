/**
 * What a template says about a table that the engine knows nothing of, in the words of
 * DescribeTable and DescribeContinuousBackups: programs that look whether a table is as it was
 * declared find that it is.
 */
import type { JsonObject } from '../../assembly/assembly.ts';
import type { Reader } from '../../assembly/property.ts';

export type TableDescription = {
  readonly isProtected: boolean;
  readonly isRecoverable: boolean;
  /** Fields of DescribeTable, in place of the engine's own. */
  readonly fields: JsonObject;
};

/** Properties that are described and do nothing else. */
export const describedOnly = [
  'SSESpecification',
  'WriteOnDemandThroughputSettings',
  'ReadOnDemandThroughputSettings',
  'WarmThroughput',
];

export function tableDescription(reader: Reader, tableId: string): TableDescription {
  const replica = reader.objects('Replicas')[0];
  const isProtected = replica?.optionalFlag('DeletionProtectionEnabled') ?? false;
  const recovery = replica?.optionalObject('PointInTimeRecoverySpecification');
  return {
    isProtected,
    isRecoverable: recovery?.optionalFlag('PointInTimeRecoveryEnabled') ?? false,
    fields: {
      TableId: tableId,
      DeletionProtectionEnabled: isProtected,
      BillingModeSummary: { BillingMode: reader.optionalText('BillingMode') ?? 'PROVISIONED' },
      ...tableClass(replica),
      ...encryption(reader),
      ...onDemand(reader, replica),
      ...warm(reader),
    },
  };
}

function tableClass(replica: Reader | undefined): JsonObject {
  const TableClass = replica?.optionalText('TableClass');
  return TableClass === undefined ? {} : { TableClassSummary: { TableClass } };
}

/** A table with DynamoDB's own key has no such field. */
function encryption(reader: Reader): JsonObject {
  const settings = reader.optionalObject('SSESpecification');
  if (settings?.optionalFlag('SSEEnabled') !== true) return {};
  return {
    SSEDescription: { Status: 'ENABLED', SSEType: settings.optionalText('SSEType') ?? 'KMS' },
  };
}

function onDemand(reader: Reader, replica: Reader | undefined): JsonObject {
  const writes = reader
    .optionalObject('WriteOnDemandThroughputSettings')
    ?.optionalNumber('MaxWriteRequestUnits');
  const reads = (replica ?? reader)
    .optionalObject('ReadOnDemandThroughputSettings')
    ?.optionalNumber('MaxReadRequestUnits');
  if (writes === undefined && reads === undefined) return {};
  return {
    OnDemandThroughput: {
      ...(reads === undefined ? {} : { MaxReadRequestUnits: reads }),
      ...(writes === undefined ? {} : { MaxWriteRequestUnits: writes }),
    },
  };
}

function warm(reader: Reader): JsonObject {
  const settings = reader.optionalObject('WarmThroughput');
  return settings === undefined ? {} : { WarmThroughput: { ...settings.raw, Status: 'ACTIVE' } };
}
