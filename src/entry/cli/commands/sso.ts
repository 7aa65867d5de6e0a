/**
 * Manages the identity providers for single sign-on of a running Plinth server. The output matches the output of
 * upstream's CLI 3.1.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonText } from '../../../base/shared/printable.ts';
import { type Command, type Input, type Option, projectOptions, UsageError } from '../command.ts';
import { listFormatOf, listFormats, renderTable, renderValue } from '../core/formats.ts';
import { CommandError } from '../errors.ts';
import { managementOf, serverOptions } from '../management/target.ts';
import { print, printData } from '../output.ts';

const output = {
  type: 'string',
  short: 'o',
  value: 'FORMAT',
  help: `Output format: ${listFormats.join(', ')}.`,
} as const satisfies Option;

const providerOptions = {
  domains: { type: 'string', multiple: true, value: 'DOMAINS', help: 'Email domains, separated by commas.' },
  'metadata-file': {
    type: 'string',
    value: 'FILE',
    help: 'File with the SAML 2.0 metadata of the provider.',
  },
  'metadata-url': {
    type: 'string',
    value: 'URL',
    help: 'HTTPS URL from which the server reads the SAML 2.0 metadata of the provider.',
  },
  'skip-url-validation': { type: 'boolean', help: "Doesn't check that the URL uses HTTPS." },
  'attribute-mapping-file': {
    type: 'string',
    value: 'FILE',
    help: 'JSON file that maps SAML attributes to claims.',
  },
  'name-id-format': { type: 'string', value: 'URI', help: 'Requested format of the NameID.' },
} as const satisfies Record<string, Option>;

const common = { ...projectOptions, ...serverOptions, output };

export const ssoList: Command = {
  name: 'sso list',
  about: 'Lists the identity providers for single sign-on.',
  options: common,
  examples: [['plinth sso list --linked', 'shows the identity providers of the linked server']],
  run: async (input) => {
    const format = listFormatOf(input.text('output'));
    const client = await managementOf(input);
    const { items } = await client.call<{ items: SsoProvider[] }>('listSsoProviders');
    const titles = [
      'TYPE',
      'IDENTITY PROVIDER ID',
      'DOMAINS',
      'SAML 2.0 EntityID',
      'CREATED AT (UTC)',
      'UPDATED AT (UTC)',
    ];
    const rows = items.map((item) => {
      const { type, id, domains, entityId, createdAt, updatedAt } = providerRows(item);
      return [type, id, domains, entityId, createdAt, updatedAt];
    });
    print(format === 'pretty' ? renderTable([titles, ...rows]) : renderValue({ providers: items }, format));
    return 0;
  },
};

export const ssoShow: Command = {
  name: 'sso show',
  takes: 'ID',
  about: 'Shows an identity provider, or only its SAML 2.0 metadata.',
  options: { ...common, metadata: { type: 'boolean', help: 'Prints only the SAML 2.0 metadata.' } },
  examples: [['plinth sso show 6b0a3c1e-… --metadata', 'prints the metadata as XML']],
  run: async (input) => {
    const id = idOf(input);
    const provider = await (await managementOf(input)).call<SsoProvider>('getSsoProvider', { id });
    if (input.flag('metadata')) printData(`${provider.saml?.metadata_xml ?? ''}\n`);
    else show(input, provider);
    return 0;
  },
};

export const ssoAdd: Command = {
  name: 'sso add',
  about: 'Adds an identity provider. [auth.saml] in plinth.toml must be enabled on the server.',
  options: {
    ...common,
    type: { type: 'string', short: 't', value: 'TYPE', help: 'Protocol of the provider: saml.' },
    ...providerOptions,
  },
  examples: [
    [
      'plinth sso add --linked --type saml --metadata-url https://idp.example/metadata --domains example.com',
      'lets users with an address at example.com sign in at the provider',
    ],
  ],
  run: async (input) => {
    const type = input.text('type');
    if (type !== 'saml') throw new UsageError('--type saml is required');
    const provider = { type, ...fieldsOf(input) };
    if (!('metadata_xml' in provider || 'metadata_url' in provider))
      throw new UsageError('--metadata-file or --metadata-url is required');
    show(input, await (await managementOf(input)).call<SsoProvider>('createSsoProvider', { provider }));
    return 0;
  },
};

export const ssoUpdate: Command = {
  name: 'sso update',
  takes: 'ID',
  about: 'Changes an identity provider. Settings without an option stay the same.',
  options: {
    ...common,
    ...providerOptions,
    domains: { ...providerOptions.domains, help: 'Replaces all email domains.' },
    'add-domains': { type: 'string', multiple: true, value: 'DOMAINS', help: 'Adds email domains.' },
    'remove-domains': { type: 'string', multiple: true, value: 'DOMAINS', help: 'Removes email domains.' },
  },
  examples: [['plinth sso update 6b0a3c1e-… --add-domains example.org', 'adds an email domain']],
  run: async (input) => {
    const id = idOf(input);
    const [added, removed] = [input.list('add-domains'), input.list('remove-domains')];
    if (input.list('domains').length > 0 && added.length + removed.length > 0)
      throw new UsageError("--domains can't be used with --add-domains or --remove-domains");
    const client = await managementOf(input);
    const current = await client.call<SsoProvider>('getSsoProvider', { id });
    const domains = new Set((current.domains ?? []).map(({ domain }) => domain));
    for (const domain of removed) domains.delete(domain);
    for (const domain of added) domains.add(domain);
    const changes = {
      ...(added.length + removed.length > 0 ? { domains: [...domains] } : {}),
      ...fieldsOf(input),
    };
    show(input, await client.call<SsoProvider>('changeSsoProvider', { id, changes }));
    return 0;
  },
};

export const ssoRemove: Command = {
  name: 'sso remove',
  takes: 'ID',
  about: 'Removes an identity provider. Its users can no longer sign in with it.',
  options: common,
  examples: [['plinth sso remove 6b0a3c1e-…', 'removes the provider']],
  run: async (input) => {
    const id = idOf(input);
    show(input, await (await managementOf(input)).call<SsoProvider>('removeSsoProvider', { id }));
    return 0;
  },
};

export const ssoInfo: Command = {
  name: 'sso info',
  about: 'Prints the URLs that you need to register this project with an identity provider.',
  options: common,
  examples: [['plinth sso info --linked', 'shows the ACS URL and the entity ID of the linked server']],
  run: async (input) => {
    const format = listFormatOf(input.text('output'));
    const { api_url: url } = await (await managementOf(input)).call<{ api_url: string }>('getProject');
    const info = {
      acs_url: `${url}/auth/v1/sso/saml/acs`,
      entity_id: `${url}/auth/v1/sso/saml/metadata`,
      relay_state: url,
    };
    if (format !== 'pretty') print(renderValue(info, format));
    else
      print(
        renderTable([
          ['PROPERTY', 'VALUE'],
          ['Single sign-on URL (ACS URL)', info.acs_url],
          ['Audience URI (SP Entity ID)', info.entity_id],
          ['Default Relay State', info.relay_state],
        ]),
      );
    return 0;
  },
};

function idOf({ positionals: [id] }: Input): string {
  if (id === undefined) throw new UsageError('The ID of an identity provider is required');
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new CommandError(`failed to parse provider ID: ${id} isn't a UUID.`);
  return id;
}

/** Returns the request fields that the options specify. @throws {CommandError} if a file can't be read */
function fieldsOf(input: Input): Record<string, unknown> {
  const file = input.text('metadata-file');
  const url = input.text('metadata-url');
  const mapping = input.text('attribute-mapping-file');
  const format = input.text('name-id-format');
  const domains = input.list('domains');
  if (file !== undefined && url !== undefined)
    throw new UsageError("--metadata-file and --metadata-url can't be used together");
  if (url !== undefined && !input.flag('skip-url-validation') && !/^https:\/\//i.test(url))
    throw new CommandError(
      'Only HTTPS Metadata URLs are supported Use --skip-url-validation to suppress this error',
    );
  return {
    ...(file === undefined ? {} : { metadata_xml: read(file) }),
    ...(url === undefined ? {} : { metadata_url: url }),
    ...(mapping === undefined ? {} : { attribute_mapping: parsed(mapping) }),
    ...(format === undefined ? {} : { name_id_format: format }),
    ...(domains.length === 0 ? {} : { domains }),
  };
}

function read(file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (error) {
    throw new CommandError(`failed to open file: ${(error as Error).message}`);
  }
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(read(file));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`failed to parse attribute mapping: ${(error as Error).message}`);
  }
}

function show(input: Input, provider: SsoProvider): void {
  const format = listFormatOf(input.text('output'));
  if (format !== 'pretty') {
    print(renderValue(provider, format));
    return;
  }
  const row = providerRows(provider);
  print(
    renderTable([
      ['PROPERTY', 'VALUE'],
      ['IDENTITY PROVIDER ID', row.id],
      ['TYPE', row.type],
      ['DOMAINS', row.domains],
      ['SAML 2.0 METADATA', row.metadata],
      ['SAML 2.0 EntityID', row.entityId],
      ['NAMEID FORMAT', row.nameIdFormat],
      ['CREATED AT (UTC)', row.createdAt],
      ['UPDATED AT (UTC)', row.updatedAt],
    ]),
  );
  const { attribute_mapping: mapping } = provider.saml ?? {};
  if (mapping !== undefined && Object.keys((mapping as { keys?: object }).keys ?? {}).length > 0)
    print(`Attribute Mapping\n\n${jsonText(mapping, 2)}\n`);
}

export interface SsoProvider {
  readonly id: string;
  readonly saml?: {
    readonly entity_id?: string;
    readonly metadata_url?: string;
    readonly metadata_xml?: string;
    readonly name_id_format?: string;
    readonly attribute_mapping?: unknown;
  };
  readonly domains?: readonly { readonly domain: string }[];
  readonly created_at?: string;
  readonly updated_at?: string;
}

const timeText = (time: string | undefined): string => time?.slice(0, 19).replace('T', ' ') ?? '';

/** Formats an identity provider's fields as tables, as upstream's CLI 3.1 does. */
export function providerRows({ id, saml, domains = [], created_at, updated_at }: SsoProvider) {
  return {
    id,
    type: saml === undefined ? 'unknown' : 'SAML 2.0',
    domains: domains.map(({ domain }) => domain).join(', ') || '-',
    entityId: saml?.entity_id || '-',
    metadata: saml?.metadata_url || 'FILE',
    nameIdFormat: saml?.name_id_format || '-',
    createdAt: timeText(created_at),
    updatedAt: timeText(updated_at),
  };
}
