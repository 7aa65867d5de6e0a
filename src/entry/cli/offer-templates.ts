/** Offers to create an app if the user runs `plinth` without a command in an empty folder. */
import { createInterface } from 'node:readline/promises';
import { chosenTemplate, templateNames, templates } from './core/templates.ts';
import { print, say } from './output.ts';

/**
 * Returns the command line that creates the chosen project. Without a terminal, prints the available commands and
 * returns undefined.
 */
export async function offerTemplates(): Promise<readonly string[] | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    say(
      `This folder is empty. Run "plinth init --template NAME" to create an app (${templateNames.join(', ')}), or "plinth start" to start a backend.`,
    );
    return undefined;
  }
  const blank = templateNames.length + 1;
  print('This folder is empty. Which app do you want to create?\n');
  for (const [index, name] of templateNames.entries()) print(`  ${index + 1}  ${templates[name]?.title}`);
  print(`  ${blank}  No app, only the backend\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const chosen = chosenTemplate(await terminal.question(`Number (default: ${blank}): `));
      if (chosen === null) return ['init'];
      if (chosen !== undefined) return ['init', '--template', chosen];
      print(`Enter a number from 1 to ${blank}.`);
    }
  } finally {
    terminal.close();
  }
}
