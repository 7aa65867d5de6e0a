import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { perform } from '../operations.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

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
