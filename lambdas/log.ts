/**
 * Structured log lines, one JSON object each: few words, the ids that are needed to follow a
 * request, never a secret. A metric is a log line too, in the embedded format that CloudWatch
 * reads, so that it costs no call; the format asks for a line that is nothing but JSON, which is
 * why lines go past `console`, whose own would begin with a time.
 */
export type Log = {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  metric(name: string, value: number, fields?: Fields): void;
};

export type RequestLog = Log & {
  /** Names the request that the lines from here on belong to; a function handles one at a time. */
  begin(requestId: string): void;
};

export type Fields = Readonly<Record<string, unknown>>;

export function createLog(
  base: Fields,
  now: () => number,
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  namespace = process.env.METRICS_NAMESPACE ?? 'Edgewise',
): RequestLog {
  let request: Fields = {};
  const line = (level: string, message: string, fields: Fields = {}) =>
    write(JSON.stringify({ level, message, ...base, ...request, ...readable(fields) }));
  return {
    begin: (requestId) => {
      request = { requestId };
    },
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, fields) => line('error', message, fields),
    metric: (name, value, fields = {}) =>
      write(
        JSON.stringify({
          _aws: {
            Timestamp: now(),
            CloudWatchMetrics: [
              { Namespace: namespace, Dimensions: [[]], Metrics: [{ Name: name }] },
            ],
          },
          [name]: value,
          ...base,
          ...request,
          ...fields,
        }),
      ),
  };
}

function readable(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? shown(value) : value,
    ]),
  );
}

function shown(error: Error): Fields {
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error ? { cause: error.cause.message } : {}),
  };
}
