/** `docs/cli.md`, printed from the commands themselves. */
import { helpOf } from './command.ts';
import { registry } from './registry.ts';

const head = `# The command line

<!-- Printed from src/cli/commands by scripts/docs-cli.ts; do not edit. -->

In a clone, \`npm start -- FLAGS\` is \`plinth start FLAGS\`, and \`npm run -s plinth -- COMMAND\` runs any command. Names,
flags and output follow the upstream CLI where it has them.

- A command is about the folder with \`supabase/\` that is found upward from the working directory, or \`--workdir\`.
- Results go to stdout, everything said on the way to stderr.
- Exit status: 0 done, 1 failed (the reason is on stderr), 2 the line was not understood.
- Flags of the upstream CLI that have nothing to do here (\`--local\`, \`--debug\`, \`--yes\`, \`--network-id\` ...) are accepted.
  Those that mean another database or a hosted project (\`--linked\`, \`--db-url\`, \`--project-id\`) are refused in one sentence.
- Data, logs and the state of the running process are in \`.plinth/\` of the project folder, which git does not see.
`;

export async function cliDocument(): Promise<string> {
  const parts = [head];
  for (const [name, { load }] of Object.entries(registry)) {
    parts.push(`## plinth ${name}\n`, '```text', await helpOf(await load()), '```\n');
  }
  return parts.join('\n');
}
