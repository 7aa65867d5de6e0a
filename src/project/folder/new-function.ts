/** Creates the folder of a new function with a template. */
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Thrown if the function's folder already exists. */
export class FunctionExists extends Error {
  readonly dir: string;

  constructor(dir: string) {
    super(`${dir} already exists.`);
    this.dir = dir;
  }
}

const source = `// Called at /functions/v1/NAME, with a token unless verify_jwt is false in config.toml.
//   curl "$PLINTH_URL/functions/v1/NAME" -H "apikey: $PUBLISHABLE_KEY" \\
//     -H "content-type: application/json" -d '{"name":"Ada"}'
Deno.serve(async (request) => {
  const { name } = await request.json();
  return Response.json({ message: \`Hello \${name}!\` });
});
`;

/**
 * Creates `supabase/functions/NAME/index.ts` and `deno.json`. Returns the created file's path in the form that messages
 * show. The caller must have validated the name.
 * @throws {FunctionExists}, or the file system's error
 */
export function createFunction(supabaseDir: string, name: string): string {
  const dir = join(supabaseDir, 'functions', name);
  // A symbolic link counts as an existing file even if its target doesn't exist.
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) throw new FunctionExists(dir);
  mkdirSync(dirname(dir), { recursive: true });
  mkdirSync(dir);
  try {
    writeFileSync(join(dir, 'index.ts'), source.replaceAll('NAME', name));
    writeFileSync(join(dir, 'deno.json'), '{\n  "imports": {}\n}\n');
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  return `supabase/functions/${name}`;
}
