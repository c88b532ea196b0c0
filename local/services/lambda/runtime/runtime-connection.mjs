/**
 * The connection of a function's process to the Lambda Runtime API: HTTP/1.1 on one socket, with no
 * more of it than that API needs, because what this costs is added to every invocation. Several
 * requests may be sent at once; their answers come in the same order. Without the local cloud there
 * is nothing left to do: a lost connection or a refusal ends the process.
 */
import { connect } from 'node:net';

/** @typedef {Readonly<Record<string, string>>} Headers */
/** @typedef {{ readonly headers: Headers, readonly body: string }} RuntimeAnswer */
/**
 * A request whose body comes in parts, and what is said behind it.
 *
 * @typedef {{
 *   write(part: Buffer, done: () => void): void,
 *   end(trailers: Headers): void,
 * }} OpenRequest
 */

/**
 * Every request goes to `base` and below; every answer has a `content-length`.
 *
 * @param {string} host
 * @param {number} port
 * @param {string} base
 */
export function connectRuntime(host, port, base) {
  /** @type {((answer: RuntimeAnswer) => void)[]} */
  const waiting = [];
  /** @type {Buffer[]} */
  let held = [];
  let heldBytes = 0;
  let wantedBytes = 0;
  const socket = connect({ host, port, noDelay: true });
  socket
    .on('data', (chunk) => {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes >= wantedBytes) take();
    })
    .on('error', () => process.exit(0))
    .on('close', () => process.exit(0));

  function take() {
    let rest = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    wantedBytes = 0;
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) break;
      const head = rest.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 2')) process.exit(0);
      const headers = headersOf(head);
      const bodyEnd = end + 4 + Number(headers['content-length']);
      if (rest.length < bodyEnd) {
        wantedBytes = bodyEnd;
        break;
      }
      waiting.shift()?.({ headers, body: rest.toString('utf8', end + 4, bodyEnd) });
      rest = rest.subarray(bodyEnd);
    }
    held = rest.length === 0 ? [] : [rest];
    heldBytes = rest.length;
  }

  /** @returns {Promise<RuntimeAnswer>} */
  const answer = () => new Promise((resolve) => waiting.push(resolve));
  const { get, post, open } = requestsTo(host, base);
  return {
    /** @param {string} path */
    get(path) {
      socket.write(get(path));
      return answer();
    },
    /** @param {string} path @param {string} body @param {Headers} headers */
    post(path, body, headers = {}) {
      socket.write(post(path, body, headers));
      return answer();
    },
    /**
     * Nothing else may be sent before its end; nobody waits for its answer.
     *
     * @param {string} path
     * @param {Headers} headers
     * @returns {OpenRequest}
     */
    open(path, headers) {
      socket.write(open(path, headers));
      void answer();
      return {
        write(part, done) {
          if (part.length === 0) return done();
          socket.cork();
          socket.write(`${part.length.toString(16)}\r\n`);
          socket.write(part);
          socket.write('\r\n', () => done());
          socket.uncork();
        },
        end(trailers) {
          socket.write(`0\r\n${linesOf(trailers)}\r\n`);
        },
      };
    },
    /**
     * Both in one piece, since nobody waits for the first answer. Resolves to the second.
     *
     * @param {string} path
     * @param {string} body
     * @param {Headers} headers
     * @param {string} next
     */
    postAndGet(path, body, headers, next) {
      socket.write(post(path, body, headers) + get(next));
      void answer();
      return answer();
    },
  };
}

/**
 * The requests as they are sent.
 *
 * @param {string} host
 * @param {string} base
 */
function requestsTo(host, base) {
  return {
    /** @param {string} path */
    get: (path) => `GET ${base}${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
    /** @param {string} path @param {string} body @param {Headers} headers */
    post: (path, body, headers) => {
      const head = `host: ${host}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
      return `POST ${base}${path} HTTP/1.1\r\n${head}${linesOf(headers)}\r\n${body}`;
    },
    /** @param {string} path @param {Headers} headers */
    open: (path, headers) => {
      const head = `host: ${host}\r\ntransfer-encoding: chunked\r\n`;
      return `POST ${base}${path} HTTP/1.1\r\n${head}${linesOf(headers)}\r\n`;
    },
  };
}

/** @param {Headers} headers */
function linesOf(headers) {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/**
 * With lower-case names.
 *
 * @param {string} head
 */
function headersOf(head) {
  /** @type {Record<string, string>} */
  const headers = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}
