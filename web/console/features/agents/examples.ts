/** The settings with which common agents connect to the project's MCP server. */
import type { CodeExample } from '../../components/code-tabs.tsx';

/** Returns formatted JSON with each list on one line. */
const json = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /\[\s+([^\]]*?)\s+\]/g,
    (_list, items: string) => `[${items.replace(/\s*\n\s*/g, ' ')}]`,
  );

/** Settings for the MCP endpoint's URL. The agents sign in with OAuth. */
export const urlExamples = (url: string): readonly CodeExample[] => [
  {
    id: 'claude',
    name: 'Claude Code',
    code: `claude mcp add --transport http plinth ${url}\n# Then sign in: run /mcp in Claude Code, and select plinth.`,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    code: json({ mcpServers: { plinth: { url } } }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    code: json({ servers: { plinth: { type: 'http', url } } }),
  },
  { id: 'codex', name: 'Codex', code: `codex mcp add plinth --url ${url}\ncodex mcp login plinth` },
];

/** Settings for the command `plinth mcp`, which speaks MCP on stdin and stdout. */
export function commandExamples(commandLine: string): readonly CodeExample[] {
  const [command = '', ...args] = commandLine.split(' ');
  return [
    { id: 'claude', name: 'Claude Code', code: `claude mcp add plinth -- ${commandLine}` },
    {
      id: 'cursor',
      name: 'Cursor',
      code: json({ mcpServers: { plinth: { command, args } } }),
    },
    {
      id: 'vscode',
      name: 'VS Code',
      code: json({ servers: { plinth: { type: 'stdio', command, args } } }),
    },
    { id: 'codex', name: 'Codex', code: `codex mcp add plinth -- ${commandLine}` },
  ];
}
