/** Sends requests to an MCP server in this process. */
import {
  InMemoryTransport,
  isJSONRPCErrorResponse,
  isJSONRPCResponse,
  type Server,
} from '@modelcontextprotocol/server';

/** Sends a request and returns its result. @throws {Error} if the server responds with an error */
export type Relay = (method: string, params: object) => Promise<Record<string, unknown>>;

export async function relayTo(server: Server): Promise<Relay> {
  const [own, other] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, PromiseWithResolvers<Record<string, unknown>>>();
  own.onmessage = (message) => {
    if (!isJSONRPCResponse(message)) return;
    const answer = waiting.get(message.id);
    waiting.delete(message.id);
    if (isJSONRPCErrorResponse(message)) answer?.reject(new Error(message.error.message));
    else answer?.resolve(message.result);
  };
  await own.start();
  await server.connect(other);
  let id = 0;
  return async (method, params) => {
    const answer = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(++id, answer);
    await own.send({ jsonrpc: '2.0', id, method, params: { ...params } });
    return await answer.promise;
  };
}
