/** Connects the official client to the MCP endpoint, and reads the results of tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { WithConsole } from './harness.ts';

/** @param query The options in the URL, such as `?read_only=false` */
export async function connectMcp(backend: WithConsole, token: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://localhost/mcp${query}`), {
      fetch: (url, init) => {
        const { pathname, search } = new URL(url);
        return backend.console.fetch(`${pathname}${search}`, init);
      },
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return client;
}

export async function callTool(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [content] = result.content as { type: string; text: string }[];
  const text = content?.text ?? '';
  // Upstream's tools return marked text as a string in JSON.
  const marked = text.startsWith('{"result":"') ? (JSON.parse(text) as { result: string }).result : text;
  return { text: marked, isError: result.isError === true };
}
