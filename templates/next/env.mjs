// Writes the running backend's URL and key to .env.local.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const prefix = 'NEXT_PUBLIC_';
const status = JSON.parse(
  execFileSync('npx', ['--no', 'plinth', 'status', '-o', 'json'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  }),
);
const values = {
  [`${prefix}SUPABASE_URL`]: status.API_URL,
  [`${prefix}SUPABASE_PUBLISHABLE_KEY`]: status.PUBLISHABLE_KEY,
};

/** Returns the lines of .env.local without these variables. */
function otherLines() {
  try {
    return readFileSync('.env.local', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !Object.keys(values).some((name) => line.startsWith(`${name}=`)));
  } catch {
    return [];
  }
}

const own = Object.entries(values).map(([name, value]) => `${name}=${value}`);
writeFileSync('.env.local', `${[...otherLines(), ...own].join('\n')}\n`);
