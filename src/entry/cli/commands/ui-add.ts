/** Copies components for signing in and for accounts into an app. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { diffLines } from '../../../base/shared/diff-lines.ts';
import { nearest } from '../../../platform/config/index.ts';
import { type Command, type Input, UsageError } from '../command.ts';
import { columns, print, say } from '../output.ts';
import { filesOfComponents, targetOf, type UiFile, type UiTarget, uiComponents } from '../ui-components.ts';

const names = Object.keys(uiComponents);
const listed = () => columns(Object.entries(uiComponents).map(([name, { about }]) => [`  ${name}`, about]));

export const uiAdd: Command = {
  name: 'ui add',
  takes: 'COMPONENT...',
  about:
    'Copies components for sign-in and accounts into your app: for React, or as web components for other frameworks.\n' +
    'The files belong to your app, so you can change them. They need only @supabase/supabase-js (and React). Without a\n' +
    'component, the command lists all components. Files that you have changed are kept.',
  options: {
    workdir: { type: 'string', value: 'DIR', help: "The app's folder. Default: the working directory." },
    dir: {
      type: 'string',
      value: 'DIR',
      help: 'Folder of components, relative to the app. Default: src/components or components (SvelteKit: src/lib).',
    },
    framework: {
      type: 'string',
      value: 'NAME',
      help: 'react or elements (web components). Default: react if package.json contains it.',
    },
    language: {
      type: 'string',
      value: 'NAME',
      help: 'ts or js. Default: ts if the app has a tsconfig.json or the package typescript.',
    },
    overwrite: { type: 'boolean', help: 'Replaces files that you have changed.' },
    diff: {
      type: 'boolean',
      help: 'Shows how changed files differ from the components, and writes nothing.',
    },
  },
  examples: [
    ['plinth ui add', 'lists the components'],
    ['plinth ui add sign-in-form user-button', 'copies two components'],
    ['plinth ui add sign-in-form --diff', 'compares your form with the current version'],
  ],
  more: async () => ['Components:', ...listed().split('\n')],
  async run(input) {
    if (input.positionals.length === 0) {
      print(listed());
      say('To copy components into your app, run "plinth ui add COMPONENT".');
      return 0;
    }
    for (const name of input.positionals) if (!names.includes(name)) throw unknownComponent(name);
    const appDir = resolve(input.text('workdir') ?? '.');
    if (!existsSync(appDir)) throw new UsageError(`--workdir: the folder ${appDir} doesn't exist`);
    const target = chosenTarget(input, appDir);
    const files = filesOfComponents(input.positionals, target);
    const changed = files.filter((file) => stateOf(appDir, file) === 'changed');
    if (input.flag('diff')) {
      for (const file of changed) showDifference(appDir, file);
      if (changed.length === 0) say('No file differs.');
      return 0;
    }
    for (const file of files) {
      const state = stateOf(appDir, file);
      if (state === 'same') print(`Unchanged ${file.path}`);
      else if (state === 'changed' && !input.flag('overwrite')) print(`Kept      ${file.path}`);
      else {
        mkdirSync(dirname(join(appDir, file.path)), { recursive: true });
        writeFileSync(join(appDir, file.path), file.text);
        print(`${state === 'new' ? 'Created  ' : 'Replaced '} ${file.path}`);
      }
    }
    if (changed.length > 0 && !input.flag('overwrite')) {
      say(
        'Kept files differ from the components. Compare them with --diff, or replace them with --overwrite.',
      );
      return 1;
    }
    say(`${usageOf(input.positionals, target)}\n"plinth docs sign-in-components" explains the components.`);
    return 0;
  },
};

function unknownComponent(name: string): UsageError {
  const near = nearest(name, names);
  return new UsageError(
    `Unknown component ${name}. ${near === undefined ? `The components are ${names.join(', ')}` : `Did you mean ${near}?`}`,
  );
}

function chosenTarget(input: Input, appDir: string): UiTarget {
  const found = targetOf(appDir);
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const given = input.text(name);
    if (given === undefined) return fallback;
    const value = values.find((each) => each === given);
    if (value === undefined) throw new UsageError(`--${name}: use ${values.join(' or ')}`);
    return value;
  };
  const folder = (input.text('dir') ?? found.folder).replaceAll('\\', '/').replace(/\/+$/, '');
  if (folder === '' || folder.startsWith('/') || folder.split('/').includes('..'))
    throw new UsageError("--dir: use a folder inside the app's folder");
  return {
    ...found,
    framework: oneOf('framework', ['react', 'elements'], found.framework),
    language: oneOf('language', ['ts', 'js'], found.language),
    folder,
  };
}

function stateOf(appDir: string, { path, text }: UiFile): 'new' | 'same' | 'changed' {
  const file = join(appDir, path);
  if (!existsSync(file)) return 'new';
  return readFileSync(file, 'utf8') === text ? 'same' : 'changed';
}

const signs = { same: '  ', added: '+ ', removed: '- ', gap: '' } as const;

function showDifference(appDir: string, { path, text }: UiFile): void {
  print(`\n${path} (- yours, + the component's)`);
  for (const line of diffLines(readFileSync(join(appDir, path), 'utf8'), text))
    print(line.kind === 'gap' ? '...' : signs[line.kind] + line.text);
}

/** Returns the lines with which an app uses the first component. */
function usageOf([name = '']: readonly string[], { framework, folder }: UiTarget): string {
  if (framework === 'elements')
    return `Import ${folder}/auth/elements/${name} and ${folder}/auth/auth.css, add <auth-${name}> and set its property "supabase".`;
  const component = name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return `Import ${folder}/auth/auth.css and { ${component} } from ${folder}/auth/${name}, and use <${component} supabase={supabase} />.`;
}
