/** Checks which programs cause the Vite plugin to run a backend. */
import { expect, test } from 'vitest';
import { isDevelopmentServer } from './vite.ts';

test.each([
  ['/app/node_modules/.bin/vite', { command: 'serve' }, true],
  ['/app/server.mjs', { command: 'serve', isPreview: false }, true],
  [undefined, { command: 'serve' }, true],
  ['/app/node_modules/.bin/vite', { command: 'build' }, false],
  ['/app/node_modules/.bin/vite', { command: 'serve', isPreview: true }, false],
  ['/app/node_modules/.bin/svelte-check', { command: 'serve' }, false],
  ['C:\\app\\node_modules\\svelte-check\\bin\\svelte-check', { command: 'serve' }, false],
  ['/editor/node_modules/svelte-language-server/bin/server.js', { command: 'serve' }, false],
] as const)('%s with %j runs a development server: %s', (program, command, expected) => {
  expect(isDevelopmentServer(command, program)).toBe(expected);
});
