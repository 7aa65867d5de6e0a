import { join } from 'node:path';
import { createFunction, FunctionExists } from '../../../project/folder/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

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
    try {
      const shownPath = createFunction(join(locationOf(input).projectDir, 'supabase'), name);
      print(`Created new Function at ${shownPath}`);
    } catch (error) {
      if (error instanceof FunctionExists) throw new CommandError(error.message);
      throw error;
    }
    return 0;
  },
};
