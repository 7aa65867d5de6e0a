import { expect, test } from 'vitest';
import { stateFolder } from './running-projects.ts';

test.each([
  ['linux', '/home/ada', {}, '/home/ada/.local/state/plinth'],
  ['linux', '/home/ada', { XDG_STATE_HOME: '/var/state' }, '/var/state/plinth'],
  ['linux', '/home/ada', { XDG_STATE_HOME: 'state' }, '/home/ada/.local/state/plinth'],
  ['darwin', '/Users/ada', {}, '/Users/ada/Library/Application Support/plinth'],
  ['darwin', '/Users/ada', { XDG_STATE_HOME: '/x' }, '/x/plinth'],
  ['win32', 'C:\\Users\\ada', {}, 'C:\\Users\\ada\\AppData\\Local\\plinth\\State'],
  ['win32', 'C:\\Users\\ada', { LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\plinth\\State'],
])('on %s in %s with %j: %s', (os, home, env, folder) => {
  expect(stateFolder({ os, home, env })).toBe(folder);
});
