/** Serves MCP requests over HTTP (Streamable HTTP without sessions, in the 2025 and 2026 versions of the protocol). */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from '../../../base/kernel/log.ts';
import { may } from '../core/roles.ts';
import { createServer } from './server.ts';
import type { McpDeps, McpOptions, McpSession } from './types.ts';

/** Serves one request. Sessions of operators who may not change anything are always read-only. */
export async function serveMcp(
  deps: McpDeps,
  log: Logger,
  request: Request,
  { caller, ...options }: McpOptions & Pick<McpSession, 'caller'>,
): Promise<Response> {
  const isReadOnly = options.isReadOnly || !may(caller.operator.role, 'write');
  const session: McpSession = { ...options, isReadOnly, caller: { ...caller, gone: request.signal } };
  const handler = createMcpHandler(() => createServer(deps, session), {
    onerror: (error) => log.warn({ error }, 'MCP request failed'),
  });
  request.signal.addEventListener('abort', () => void handler.close(), { once: true });
  return await handler.fetch(request);
}
