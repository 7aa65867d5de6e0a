/** Runs a server that records the requests that SQL sends to it. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Target {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Returns the maximum number of concurrent requests. */
  readonly most: () => number;
  /** Sets the function that responds to subsequent requests. Defaults to `{"ok":true}`. */
  answer(listener: RequestListener): void;
  close(): Promise<void>;
}

export async function openTarget(): Promise<Target> {
  const arrived: Arrived[] = [];
  let open = 0;
  let most = 0;
  let listener: RequestListener = (_request, response) =>
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++open);
    response.once('close', () => {
      open--;
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // The sender has been killed.
    }
    const { method = '', url = '', headers } = request;
    arrived.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    most: () => most,
    answer(next) {
      listener = next;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
