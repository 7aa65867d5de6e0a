import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

const source = `// Called at /functions/v1/NAME, with a token unless verify_jwt is false in config.toml.
Deno.serve(async (request) => {
  const { name } = await request.json();
  return Response.json({ message: \`Hello \${name}!\` });
});
`;

export const functionsNew: Command = {
  name: 'functions new',
  takes: 'NAME',
  about:
    'Creates supabase/functions/NAME/index.ts. A running Plinth process serves the function immediately.',
  options: projectOptions,
  examples: [
    [
      'plinth functions new hello',
      'call it with supabase.functions.invoke("hello", { body: { name: "you" } })',
    ],
  ],
  run: async (input) => {
    const [name] = input.positionals;
    if (name === undefined) throw new UsageError('A name is required');
    if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
      throw new UsageError(
        `${name}: a name must start with a letter and contain only letters, digits, _ and -`,
      );
    }
    const dir = join(locationOf(input).projectDir, 'supabase', 'functions', name);
    if (existsSync(dir)) throw new CommandError(`${dir} already exists.`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'index.ts'), source.replace('NAME', name));
    writeFileSync(join(dir, 'deno.json'), '{\n  "imports": {}\n}\n');
    print(`Created new Function at supabase/functions/${name}`);
    return 0;
  },
};
