import { type Command, projectOptions } from '../command.ts';
import { perform } from '../operations.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const console: Command = {
  name: 'console',
  about:
    'Prints a new link that signs an operator in to the Console. The link works once and expires after ten minutes.',
  options: {
    ...projectOptions,
    operator: { type: 'string', value: 'NAME', help: 'Operator to sign in. Default: the owner.' },
  },
  examples: [
    ['plinth console', 'prints a link for the owner'],
    ['plinth console --operator ada', 'prints a link for the operator ada'],
  ],
  run: async (input) => {
    const parameters = { operator: input.text('operator') };
    print(
      await perform<string>(locationOf(input), 'consoleLink', parameters, {
        needs: 'running',
        onProgress: say,
      }),
    );
    return 0;
  },
};
