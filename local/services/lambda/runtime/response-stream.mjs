/**
 * `awslambda`, as functions find it in Lambda's own runtime: what marks a handler as one that
 * streams its answer, and what puts status and headers before it
 * (https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html).
 */
import { Writable } from 'node:stream';

/** @import { OpenRequest } from './runtime-connection.mjs' */

const streamed = Symbol('streamed');
const integrationType = 'application/vnd.awslambda.http-integration-response';
/** Between status and headers, as JSON, and the body. */
const preludeEnd = Buffer.alloc(8);

/** What a handler writes its answer to; the request begins with the first of it. */
class ResponseStream extends Writable {
  #contentType = 'application/octet-stream';
  /** @type {string | undefined} */
  #prelude;
  /** @type {OpenRequest | undefined} */
  #request;
  #open;

  /** @param {(contentType: string) => OpenRequest} open */
  constructor(open) {
    super();
    this.#open = open;
  }

  get hasBegun() {
    return this.#request !== undefined;
  }

  /** @param {string} contentType */
  setContentType(contentType) {
    this.#contentType = contentType;
  }

  /** @param {object} metadata */
  setHead(metadata) {
    this.#contentType = integrationType;
    this.#prelude = JSON.stringify(metadata);
  }

  /** @override @param {Buffer} chunk @param {string} _encoding @param {() => void} done */
  _write(chunk, _encoding, done) {
    this.#begin().write(chunk, done);
  }

  /** @override @param {() => void} done */
  _final(done) {
    this.#begin().end({});
    done();
  }

  /** After a part of the answer has gone, a failure can only be named behind it. */
  fail(/** @type {string} */ type, /** @type {string} */ shown) {
    const body = Buffer.from(shown).toString('base64');
    this.#begin().end({
      'lambda-runtime-function-error-type': type,
      'lambda-runtime-function-error-body': body,
    });
    this.destroy();
  }

  #begin() {
    if (this.#request !== undefined) return this.#request;
    this.#request = this.#open(this.#contentType);
    if (this.#prelude !== undefined) {
      this.#request.write(Buffer.concat([Buffer.from(this.#prelude), preludeEnd]), () => undefined);
    }
    return this.#request;
  }
}

/** @param {(contentType: string) => OpenRequest} open */
export const responseStream = (open) => new ResponseStream(open);

/** @param {object} handler */
export const streamsItsAnswer = (handler) => streamed in handler;

export const awslambda = {
  /** @param {object} handler */
  streamifyResponse: (handler) => Object.assign(handler, { [streamed]: true }),
  HttpResponseStream: {
    /** @param {ResponseStream} stream @param {object} metadata */
    from(stream, metadata) {
      stream.setHead(metadata);
      return stream;
    },
  },
};
