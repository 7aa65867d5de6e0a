/** Commands for the Console's operators: sign-in links, accounts and access tokens. */
import { parseLifetime } from '../../../base/shared/access-token.ts';
import { requireLength } from '../../../base/shared/text-length.ts';
import type { CreatedToken, TokenRow } from '../../main.ts';
import { type Command, type Input, type Option, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { perform } from '../remote-calls.ts';

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

export const roles = ['owner', 'developer', 'read-only'];

export const operatorsCreate: Command = {
  name: 'operators create',
  takes: 'NAME',
  about: 'Creates a Console operator. Run "plinth console --operator NAME" to print a sign-in link.',
  options: {
    ...projectOptions,
    role: { type: 'string', value: 'ROLE', help: `One of ${roles.join(', ')}. Default: developer.` },
  },
  examples: [['plinth operators create ada --role read-only', 'gives ada read-only access']],
  run: async (input) => {
    const [name] = input.positionals;
    if (name === undefined) throw new UsageError('A name is required');
    const role = input.text('role') ?? 'developer';
    if (!roles.includes(role)) throw new UsageError(`--role: ${role} must be one of ${roles.join(', ')}`);
    const options = { needs: 'database', onProgress: say } as const;
    const made = await perform<boolean>(locationOf(input), 'operatorsCreate', { name, role }, options);
    if (!made) throw new CommandError(`The operator ${name} already exists.`);
    say(
      `Created the operator ${name} (${role}). To print a sign-in link, run: plinth console --operator ${name}`,
    );
    return 0;
  },
};

interface Operator {
  readonly name: string;
  readonly role: string;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
}

export const operatorsList: Command = {
  name: 'operators list',
  about: 'Lists the operators of the Console.',
  options: projectOptions,
  examples: [['plinth operators list', 'shows names, roles and last sign-ins']],
  run: async (input) => {
    const options = { needs: 'database', onProgress: say } as const;
    const operators = await perform<Operator[]>(locationOf(input), 'operatorsList', {}, options);
    const rows = operators.map(({ name, role, created_at, last_sign_in_at }) => [
      name,
      role,
      created_at.slice(0, 19),
      last_sign_in_at?.slice(0, 19) ?? '',
    ]);
    print(columns([['Name', 'Role', 'Created', 'Last sign-in'], ...rows]));
    return 0;
  },
};

const defaultLifetime = '90d';
const operator = {
  type: 'string',
  value: 'NAME',
  help: 'Operator to whom the token belongs. Default: the first owner.',
} as const satisfies Option;
const through = { needs: 'database', onProgress: say } as const;

/** The commands for access tokens. With a token, the CLI and scripts act as an operator of a running Plinth server. */
export const tokenCreate: Command = {
  name: 'operators token create',
  takes: 'NAME',
  about:
    'Creates an access token for an operator and prints it to stdout. The token has the permissions of\n' +
    'the operator\'s role. It is shown only once. Use it in PLINTH_ACCESS_TOKEN or with "plinth link".',
  options: {
    ...projectOptions,
    operator,
    role: {
      type: 'string',
      value: 'ROLE',
      help: "Limits the token to a role: owner, developer or read-only. Default: the operator's current role.",
    },
    expires: {
      type: 'string',
      value: 'TIME',
      help: `Lifetime, such as 12h, 30d or 1y, or "never". Default: ${defaultLifetime}.`,
    },
  },
  examples: [
    ['plinth operators token create ci --operator ada', 'prints a token that acts as ada for 90 days'],
    ['plinth operators token create deploy --expires 12h', 'prints a token of the first owner'],
    ['plinth operators token create report --role read-only', 'prints a token that can only read'],
  ],
  run: async (input) => {
    const name = nameOf(input.positionals);
    const lifetime = input.text('expires') ?? defaultLifetime;
    const lifetimeSeconds = parseLifetime(lifetime);
    if (lifetimeSeconds === undefined)
      throw new UsageError(
        `--expires: ${lifetime} must be a number of hours, days, weeks or years, such as 90d`,
      );
    const parameters = { name, operator: input.text('operator'), lifetimeSeconds, role: roleOf(input) };
    const made = await perform<CreatedToken>(locationOf(input), 'tokenCreate', parameters, through);
    const until =
      made.expiresAt === null ? 'does not expire' : `expires at ${made.expiresAt.slice(0, 19)} UTC`;
    say(
      `Created the token ${name} for ${made.operatorName} (${made.role}). It ${until} and is shown only once:`,
    );
    print(made.token);
    return 0;
  },
};

export const tokenList: Command = {
  name: 'operators token list',
  about: 'Lists access tokens. Only their hashes are stored.',
  options: projectOptions,
  examples: [['plinth operators token list', 'shows operators, expiry dates and last uses']],
  run: async (input) => {
    const tokens = await perform<TokenRow[]>(locationOf(input), 'tokenList', {}, through);
    const rows = tokens.map((token) => [
      token.name,
      token.operator_name,
      token.role,
      token.created_at.slice(0, 19),
      token.expires_at?.slice(0, 19) ?? 'never',
      token.last_used_at?.slice(0, 19) ?? '',
    ]);
    print(columns([['Name', 'Operator', 'Role', 'Created', 'Expires', 'Last used'], ...rows]));
    return 0;
  },
};

export const tokenRevoke: Command = {
  name: 'operators token revoke',
  takes: 'NAME',
  about: 'Revokes an access token. Requests with this token are rejected immediately.',
  options: {
    ...projectOptions,
    operator: {
      ...operator,
      help: 'Operator who owns the token. Required if several operators have a token with this name.',
    },
  },
  examples: [['plinth operators token revoke ci', 'rejects further requests with the token ci']],
  run: async (input) => {
    const name = nameOf(input.positionals);
    await perform<void>(
      locationOf(input),
      'tokenRevoke',
      { name, operator: input.text('operator') },
      through,
    );
    say(`Revoked the token ${name}.`);
    return 0;
  },
};

/** Returns the role of the new token, or null if the token gets the operator's role. @throws {UsageError} */
function roleOf(input: Input): string | null {
  const role = input.text('role');
  if (role !== undefined && !roles.includes(role))
    throw new UsageError(`--role: ${role} must be one of ${roles.join(', ')}`);
  return role ?? null;
}

function nameOf([name]: readonly string[]): string {
  if (name === undefined || name.trim() === '') throw new UsageError('A name is required');
  requireLength(name, 100, () => new UsageError('The name can have at most 100 characters'));
  return name;
}
