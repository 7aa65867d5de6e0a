/** Sends the same request twice on one connection, which an unread request body would block. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface OneConnectionRequest {
  readonly method: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

/** Returns the status and the text of each response. */
export async function sendTwice(
  url: string,
  { method, headers = {}, body }: OneConnectionRequest,
): Promise<{ readonly status: number | undefined; readonly body: string }[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const responses = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const length = Buffer.byteLength(body);
    const sent = request(url, { method, agent, headers: { ...headers, 'content-length': length } });
    const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
    const written = new Promise<void>((resolve) => sent.end(body, resolve));
    const [response] = await responded;
    responses.push({ status: response.statusCode, body: await text(response) });
    await written;
  }
  agent.destroy();
  return responses;
}
