/**
 * Lists, deploys, deletes and downloads the functions of a running Plinth server. The output matches the output of
 * upstream's CLI 3.1.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { downloadPath } from '../../../base/shared/function-paths.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import { type Command, type Input, type Option, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { listFormatOf, listFormats, renderList } from '../core/formats.ts';
import { CommandError } from '../errors.ts';
import type { ManagementClient } from '../management/client.ts';
import type { SentFile } from '../management/encoded-files.ts';
import { collectFunction } from '../management/function-files.ts';
import {
  type FunctionFields,
  type NamedUpload,
  sendFunction,
  slugPattern,
  slugsOf,
} from '../management/functions.ts';
import { managementOf, serverOptions } from '../management/target.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

/** Checks a function's name. @throws {CommandError} */
function requireSlug(slug: string): void {
  if (!slugPattern.test(slug))
    throw new CommandError(
      'Invalid Function name. Must start with at least one letter, and only include alphanumeric characters, underscores, and hyphens. (^[A-Za-z][A-Za-z0-9_-]*$)',
    );
}

function onlySlug({ positionals: [slug] }: Input): string {
  if (slug === undefined) throw new UsageError('The name of a function is required');
  requireSlug(slug);
  return slug;
}

const output = {
  type: 'string',
  short: 'o',
  value: 'FORMAT',
  help: `Output format: ${listFormats.join(', ')}.`,
} as const satisfies Option;

export const functionsList: Command = {
  name: 'functions list',
  about: 'Lists the functions that a running Plinth serves.',
  options: { ...projectOptions, ...serverOptions, output },
  examples: [
    ['plinth functions list', 'shows the functions of the running Plinth in this folder'],
    ['plinth functions list --linked -o json', 'prints the functions of the linked server as JSON'],
  ],
  run: async (input) => {
    const format = listFormatOf(input.text('output'));
    const functions = await (await managementOf(input)).call<FunctionFields[]>('listFunctions');
    const rows = functions.map(({ id, name, slug, status, version, updated_at }) => [
      id,
      name,
      slug,
      status,
      String(version),
      new Date(updated_at).toISOString().slice(0, 19).replace('T', ' '),
    ]);
    const titles = ['ID', 'NAME', 'SLUG', 'STATUS', 'VERSION', 'UPDATED_AT (UTC)'];
    print(renderList(functions, format, 'functions', [titles, ...rows]));
    return 0;
  },
};

export const functionsDeploy: Command = {
  name: 'functions deploy',
  takes: '[NAME]...',
  about:
    'Deploys functions to a running Plinth, with all local modules that they import. A deployed function\n' +
    'takes precedence over the function with the same name in the project folder of the server.\n' +
    'Without names, all functions of this project are deployed.',
  options: {
    ...projectOptions,
    ...serverOptions,
    'no-verify-jwt': { type: 'boolean', help: 'Accepts requests without a token.' },
    'import-map': { type: 'string', value: 'FILE', help: 'Import map for all deployed functions.' },
    prune: { type: 'boolean', help: "Deletes deployed functions that don't exist in this project." },
    yes: { type: 'boolean', help: 'Deletes functions without asking.' },
    'use-api': { type: 'boolean', help: 'Accepted for compatibility. Plinth always receives source files.' },
    'use-docker': { type: 'boolean', help: 'Accepted for compatibility.', hidden: true },
    'legacy-bundle': { type: 'boolean', help: 'Accepted for compatibility.', hidden: true },
    jobs: { type: 'string', short: 'j', value: 'N', help: 'Accepted for compatibility.', hidden: true },
  },
  examples: [
    ['plinth functions deploy hello --linked', 'deploys hello to the linked server'],
    [
      'plinth functions deploy --linked --prune',
      "makes the linked server serve exactly this project's functions",
    ],
  ],
  run: async (input) => {
    const { projectDir } = locationOf(input);
    for (const slug of input.positionals) requireSlug(slug);
    const client = await managementOf(input);
    const { config } = loadConfig({ projectDir, remoteRef: client.ref });
    const slugs =
      input.positionals.length > 0 ? [...new Set(input.positionals)] : slugsOf(projectDir, config);
    if (slugs.length === 0)
      throw new CommandError(`No Functions specified or found in ${join('supabase', 'functions')}`);
    const importMap = input.text('import-map');
    const enabled = slugs.filter((slug) => {
      const isEnabled = config.functions[slug]?.enabled !== false;
      if (!isEnabled) say(`Skipping disabled Function: ${slug}`);
      return isEnabled;
    });
    const uploads = enabled.map((slug) => ({
      slug,
      ...collectFunction(slug, {
        projectDir,
        config,
        importMap: importMap === undefined ? undefined : resolve(importMap),
        noVerifyJwt: input.flag('no-verify-jwt'),
        warn: say,
      }),
    }));
    if (uploads.length === 0) say('All Functions are up to date.');
    else {
      await upload(client, uploads);
      print(`Deployed Functions on project ${client.ref}: ${enabled.join(', ')}`);
      print(`You can inspect your deployment in the Console: ${client.consoleUrl}/console/functions`);
    }
    if (input.flag('prune')) await prune(client, input, new Set(slugs));
    return 0;
  },
};

/**
 * Deploys functions. Uploads several functions before activating them together, so that either all of these functions
 * change or none of them.
 */
async function upload(client: ManagementClient, uploads: readonly NamedUpload[]): Promise<void> {
  const isStaged = uploads.length > 1;
  const staged: FunctionFields[] = [];
  for (const each of uploads) {
    if (isStaged) say(`Deploying Function: ${each.slug}`);
    staged.push(await sendFunction(client, each, isStaged));
  }
  if (isStaged) await client.call('activateFunctions', { functions: staged });
}

async function prune(client: ManagementClient, input: Input, kept: ReadonlySet<string>): Promise<void> {
  const functions = await client.call<FunctionFields[]>('listFunctions');
  const extra = functions.filter(({ slug, source }) => source === 'deployed' && !kept.has(slug));
  if (extra.length === 0) {
    say('No Functions to prune.');
    return;
  }
  const list = extra.map(({ slug }) => ` • ${slug}`).join('\n');
  if (
    !(await confirm(
      input,
      `Do you want to delete the following Functions from your project?\n${list}\n`,
      false,
    ))
  )
    throw new CommandError('Canceled. Run the command with --yes to delete functions without confirmation.');
  for (const { slug } of extra) {
    say(`Deleting Function: ${slug}`);
    await client.call('deleteFunction', { slug });
  }
}

export const functionsDelete: Command = {
  name: 'functions delete',
  takes: 'NAME',
  about:
    "Deletes a deployed function. If the server's project folder contains a function with the same name, the\n" +
    "server serves that function again. The function isn't removed from this project.",
  options: { ...projectOptions, ...serverOptions },
  examples: [['plinth functions delete hello --linked', 'deletes hello from the linked server']],
  run: async (input) => {
    const slug = onlySlug(input);
    const client = await managementOf(input);
    await client.call('deleteFunction', { slug });
    print(`Deleted Function ${slug} from project ${client.ref}.`);
    return 0;
  },
};

export const functionsDownload: Command = {
  name: 'functions download',
  takes: '[NAME]',
  about: 'Downloads the source of deployed functions to supabase/functions. Existing files are overwritten.',
  options: {
    ...projectOptions,
    ...serverOptions,
    'use-api': { type: 'boolean', help: 'Accepted for compatibility.', hidden: true },
    'use-docker': { type: 'boolean', help: 'Accepted for compatibility.', hidden: true },
    'legacy-bundle': { type: 'boolean', help: 'Accepted for compatibility.', hidden: true },
  },
  examples: [
    ['plinth functions download hello --linked', 'writes the files of hello'],
    ['plinth functions download --linked', 'writes the files of all deployed functions'],
  ],
  run: async (input) => {
    const { projectDir } = locationOf(input);
    const client = await managementOf(input);
    const slugs = input.positionals.length > 0 ? [onlySlug(input)] : await deployedSlugs(client);
    for (const slug of slugs) await download(client, projectDir, slug);
    if (input.positionals.length === 0 && slugs.length > 0)
      say(`Successfully downloaded all functions from project ${client.ref}`);
    return 0;
  },
};

async function deployedSlugs(client: ManagementClient): Promise<string[]> {
  const functions = await client.call<FunctionFields[]>('listFunctions');
  const slugs = functions.filter(({ source }) => source === 'deployed').map(({ slug }) => slug);
  if (slugs.length === 0) say(`No deployed functions found in project ${client.ref}.`);
  else say(`Found ${slugs.length} function(s) to download`);
  return slugs;
}

async function download(client: ManagementClient, projectDir: string, slug: string): Promise<void> {
  say(`Downloading Function: ${slug}`);
  const { entrypointPath, files } = await client.call<{
    entrypointPath: string;
    files: readonly SentFile[];
  }>('getFunctionFiles', { slug });
  const targets = files.map(({ path, content }) => ({
    path: downloadPath(slug, entrypointPath, path),
    content,
    given: path,
  }));
  for (const { path, given } of targets)
    if (path === undefined)
      throw new CommandError(
        `The server sent a file outside of supabase/functions: ${given}. Nothing was written.`,
      );
  for (const { path = '', content } of targets) {
    const file = join(projectDir, 'supabase', 'functions', path);
    say(`Extracting file: ${join('supabase', 'functions', path)}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  say(`Downloaded Function ${slug} from project ${client.ref}.`);
}
