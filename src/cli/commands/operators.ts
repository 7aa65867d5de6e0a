import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { perform } from '../operations.ts';
import { columns, print, say } from '../output.ts';
import { placeOf } from '../place.ts';

const roles = ['owner', 'developer', 'read-only'];

export const operatorsCreate: Command = {
  name: 'operators create',
  takes: 'NAME',
  about:
    'Lets another person into the Console; "plinth console --operator NAME" then prints a link for them.',
  options: {
    ...projectOptions,
    role: { type: 'string', value: 'ROLE', help: `One of ${roles.join(', ')}; developer by default.` },
  },
  examples: [['plinth operators create ada --role read-only', 'ada may look, not change']],
  run: async (input) => {
    const [name] = input.positionals;
    if (name === undefined) throw new UsageError('A name is needed');
    const role = input.text('role') ?? 'developer';
    if (!roles.includes(role)) throw new UsageError(`--role: ${role} is not one of ${roles.join(', ')}`);
    const options = { needs: 'database', onProgress: say } as const;
    const made = await perform<boolean>(placeOf(input), 'operatorsCreate', { name, role }, options);
    if (!made) throw new CommandError(`There is an operator ${name} already.`);
    say(`Created the operator ${name} (${role}). A link for them: plinth console --operator ${name}`);
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
  about: 'Lists who may sign in to the Console.',
  options: projectOptions,
  examples: [['plinth operators list', 'names, roles and last sign-ins']],
  run: async (input) => {
    const options = { needs: 'database', onProgress: say } as const;
    const operators = await perform<Operator[]>(placeOf(input), 'operatorsList', {}, options);
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
