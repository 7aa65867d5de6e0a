/**
 * Sets, lists and removes the function secrets of a running Plinth server. The output matches the output of upstream's
 * CLI 3.1.
 */
import { loadConfig } from '../../../platform/config/index.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { listFormatOf, listFormats, renderList } from '../core/formats.ts';
import { CommandError } from '../errors.ts';
import { type SecretFields, secretsFrom } from '../management/secrets.ts';
import { managementOf, serverOptions } from '../management/target.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const secretsSet: Command = {
  name: 'secrets set',
  takes: '[NAME=VALUE]...',
  about:
    'Sets secrets, which functions receive as environment variables from their next request on. Secrets in\n' +
    '[edge_runtime.secrets] in config.toml are also set.',
  options: {
    ...projectOptions,
    ...serverOptions,
    'env-file': { type: 'string', value: 'FILE', help: 'Reads secrets from a .env file.' },
  },
  examples: [
    ['plinth secrets set --linked MAIL_KEY=abc', 'sets a secret on the linked server'],
    ['plinth secrets set --linked --env-file .env.production', 'sets all secrets in the file'],
  ],
  run: async (input) => {
    const client = await managementOf(input);
    const { config } = loadConfig({ projectDir: locationOf(input).projectDir, remoteRef: client.ref });
    const secrets = secretsFrom(config, input.text('env-file'), input.positionals);
    if (secrets.length === 0)
      throw new CommandError('No arguments found. Use --env-file to read from a .env file.');
    await client.call('setSecrets', { secrets });
    print('Finished secrets set.');
    return 0;
  },
};

export const secretsList: Command = {
  name: 'secrets list',
  about: 'Lists the names of the secrets and the SHA-256 hashes of their values.',
  options: {
    ...projectOptions,
    ...serverOptions,
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      help: `Output format: ${listFormats.join(', ')}.`,
    },
  },
  examples: [['plinth secrets list --linked', 'shows the secrets of the linked server']],
  run: async (input) => {
    const format = listFormatOf(input.text('output'));
    const secrets = await (await managementOf(input)).call<SecretFields[]>('listSecrets');
    const rows = secrets.map(({ name, value }) => [name, value]);
    print(renderList(secrets, format, 'secrets', [['NAME', 'DIGEST'], ...rows]));
    return 0;
  },
};

export const secretsUnset: Command = {
  name: 'secrets unset',
  takes: '[NAME]...',
  about: 'Removes secrets. Without names, all secrets are removed.',
  options: {
    ...projectOptions,
    ...serverOptions,
    all: { type: 'boolean', help: 'Removes all secrets (the default if no names are given).' },
    'dry-run': { type: 'boolean', help: 'Prints the secrets and keeps them.' },
    yes: { type: 'boolean', help: 'Removes secrets without asking.' },
  },
  examples: [['plinth secrets unset --linked MAIL_KEY', 'removes a secret of the linked server']],
  run: async (input) => {
    if (input.flag('all') && input.positionals.length > 0)
      throw new UsageError("--all can't be used with names");
    const client = await managementOf(input);
    const names =
      input.positionals.length > 0
        ? [...input.positionals]
        : (await client.call<SecretFields[]>('listSecrets')).map(({ name }) => name);
    if (names.length === 0) {
      say('You have not set any function secrets, nothing to do.');
      return 0;
    }
    const list = names.map((name) => ` • ${name}`).join('\n');
    if (input.flag('dry-run')) {
      print(list);
      return 0;
    }
    if (!(await confirm(input, `Do you want to unset these function secrets?\n${list}\n\n`, true)))
      throw new CommandError('Canceled. The secrets were not changed.');
    await client.call('unsetSecrets', { names });
    print('Finished secrets unset.');
    return 0;
  },
};
