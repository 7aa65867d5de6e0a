import { randomBytes } from 'node:crypto';
import { jsonText } from '../../../base/shared/printable.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const usersCreate: Command = {
  name: 'users create',
  takes: 'EMAIL',
  about: 'Creates a confirmed end user of your app and prints a generated password unless you set one.',
  options: {
    ...projectOptions,
    password: { type: 'string', value: 'PASSWORD', help: 'Password. Default: generated.' },
  },
  examples: [['plinth users create ada@example.com', 'prints the ID, email and password']],
  run: async (input) => {
    const [email] = input.positionals;
    if (email === undefined) throw new UsageError('An email address is required');
    // This suffix makes the password satisfy every value of `password_requirements`.
    const password = input.text('password') ?? `${randomBytes(12).toString('base64url')}aA1!`;
    const body = { email, password, email_confirm: true };
    const user = (await callAdmin(input, 'POST', '/users', body)) as { id: string };
    print(
      columns([
        ['id', user.id],
        ['email', email],
        ['password', password],
      ]),
    );
    return 0;
  },
};

interface ListedUser {
  readonly id: string;
  readonly email?: string;
  readonly phone?: string;
  readonly created_at: string;
  readonly last_sign_in_at?: string | null;
}

export const usersList: Command = {
  name: 'users list',
  about: 'Lists the end users of your app, newest first.',
  options: {
    ...projectOptions,
    page: { type: 'string', value: 'N', help: 'Page number, from 1. A page has 50 users.' },
    json: { type: 'boolean', help: 'Prints JSON with all fields.' },
  },
  examples: [
    ['plinth users list', 'lists the 50 newest users'],
    ['plinth users list --json | jq -r ".[].email"', 'lists email addresses, for scripts'],
  ],
  run: async (input) => {
    const page = input.text('page') ?? '1';
    if (!/^[1-9]\d*$/.test(page)) throw new UsageError('--page must be 1 or greater');
    const { users } = (await callAdmin(input, 'GET', `/users?page=${page}&per_page=50`)) as {
      users: ListedUser[];
    };
    if (input.flag('json')) print(jsonText(users, 2));
    else if (users.length === 0) say('No users yet.');
    else print(columns([['ID', 'Email or phone', 'Created', 'Last sign-in'], ...users.map(rowOf)]));
    return 0;
  },
};

const rowOf = ({ id, email, phone, created_at, last_sign_in_at }: ListedUser) => [
  id,
  email || phone || '(guest)',
  created_at.slice(0, 19).replace('T', ' '),
  last_sign_in_at?.slice(0, 19).replace('T', ' ') ?? '',
];

async function callAdmin(input: Input, method: string, path: string, body?: object): Promise<unknown> {
  const running = await findRunning(locationOf(input).dataDir);
  if (running === undefined) throw notRunning();
  const { API_URL, SERVICE_ROLE_KEY } = await running.call<Record<string, string>>('status');
  if (API_URL === undefined || SERVICE_ROLE_KEY === undefined)
    throw new CommandError('The auth service is disabled.');
  const response = await fetch(`${API_URL}/auth/v1/admin${path}`, {
    method,
    headers: {
      apikey: SERVICE_ROLE_KEY,
      authorization: `Bearer ${SERVICE_ROLE_KEY}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const result = (await response.json()) as { msg?: string; message?: string };
  if (!response.ok)
    throw new CommandError(
      result.msg ?? result.message ?? `The auth service returned status ${response.status}.`,
    );
  return result;
}
