/** Commands that look for problems in a database: `db advisors` and `db lint`. */
import { jsonText } from '../../../../base/shared/printable.ts';
import { loadConfig, shellEnvironment } from '../../../../platform/config/index.ts';
import { openOtherDatabase } from '../../../../platform/database/index.ts';
import {
  type Finding,
  type FindingCategory,
  type FindingLevel,
  findingLevels,
  runAdvisors,
} from '../../../../project/advisors/index.ts';
import {
  atLevel,
  hasLevel,
  type LintLevel,
  type LintResult,
  lint,
  lintLevels,
} from '../../../../project/folder/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../../command.ts';
import { databaseTarget } from '../../history-target.ts';
import { print, say } from '../../output.ts';
import { locationOf, type ProjectLocation } from '../../project-location.ts';
import { perform } from '../../remote-calls.ts';

const types = ['all', 'security', 'performance'] as const;

export const dbAdvisors: Command = {
  name: 'db advisors',
  about:
    'Checks the database for security and performance problems, such as tables without row-level security, slow\n' +
    "policies and missing indexes. Prints JSON in the upstream CLI's format. A finding may contain a fix in SQL.",
  options: {
    ...projectOptions,
    local: { type: 'boolean', help: "Checks this project's database (default)." },
    linked: { type: 'boolean', help: 'Checks the database of the linked server, or the linked database.' },
    'db-url': { type: 'string', value: 'URL', help: 'Checks another database.' },
    type: { type: 'string', value: 'TYPE', help: `Findings to print: ${types.join(', ')}. Default: all.` },
    level: {
      type: 'string',
      value: 'LEVEL',
      help: 'Minimum level to print: info, warn (default) or error.',
    },
    'fail-on': {
      type: 'string',
      value: 'LEVEL',
      help: 'Minimum level for exit status 1: none (default), info, warn or error.',
    },
  },
  examples: [
    ['plinth db advisors', 'lists all warnings and errors'],
    ['plinth db advisors --type security --fail-on error', 'fails a CI job if an error is found'],
    ['plinth db advisors --level info', 'also lists suggestions, such as unused indexes'],
  ],
  run: async (input) => {
    const level = levelOf(input, 'level') ?? 'WARN';
    const failOn = input.text('fail-on') === 'none' ? undefined : levelOf(input, 'fail-on');
    const category = categoryOf(input);
    const shown = (await findingsOf(input)).filter(
      (finding) =>
        isAtLeast(finding, level) && (category === undefined || finding.categories[0] === category),
    );
    if (shown.length === 0) {
      say('No issues found');
      return 0;
    }
    print(jsonText(shown, 2));
    if (failOn === undefined || !shown.some((finding) => isAtLeast(finding, failOn))) return 0;
    say(`fail-on is set to ${failOn.toLowerCase()}, non-zero exit`);
    return 1;
  },
};

const isAtLeast = ({ level }: Finding, minimum: FindingLevel): boolean =>
  findingLevels.indexOf(level) >= findingLevels.indexOf(minimum);

function levelOf(input: Input, option: string): FindingLevel | undefined {
  const text = input.text(option);
  const level = findingLevels.find((each) => each.toLowerCase() === text);
  if (text !== undefined && level === undefined)
    throw new UsageError(`--${option}: ${text} must be info, warn or error`);
  return level;
}

function categoryOf(input: Input): FindingCategory | undefined {
  const type = input.text('type') ?? 'all';
  if (type === 'all') return undefined;
  if (type === 'security') return 'SECURITY';
  if (type === 'performance') return 'PERFORMANCE';
  throw new UsageError(`--type: ${type} must be ${types.join(', ')}`);
}

async function findingsOf(input: Input): Promise<Finding[]> {
  const location = locationOf(input);
  const target = databaseTarget(location, input);
  if (target === 'local')
    return await perform<Finding[]>(location, 'advisors', {}, { needs: 'schema', onProgress: say });
  if ('server' in target) {
    const [security, performance] = await Promise.all([
      target.server.call<{ lints: Finding[] }>('securityAdvisors'),
      target.server.call<{ lints: Finding[] }>('performanceAdvisors'),
    ]);
    return [...security.lints, ...performance.lints];
  }
  const { config } = loadConfig({ projectDir: location.projectDir });
  const other = await openOtherDatabase(target.url, {
    password: shellEnvironment().SUPABASE_DB_PASSWORD,
    session: 'inspect',
  });
  try {
    return await runAdvisors(other.pool, { exposedSchemas: config.api.schemas });
  } finally {
    await other.stop();
  }
}

const unchecked =
  "Names, types and unused variables in PL/pgSQL bodies aren't checked because this requires the plpgsql_check extension.";

export const dbLint: Command = {
  name: 'db lint',
  about:
    'Finds functions with an invalid body, and security definer functions without a search_path. SQL bodies\n' +
    'are analyzed. For PL/pgSQL bodies, only the syntax is checked. Prints JSON, as the upstream CLI does.',
  options: {
    ...projectOptions,
    local: { type: 'boolean', help: "Checks this project's database (default)." },
    linked: { type: 'boolean', help: 'Checks the database of the linked server, or the linked database.' },
    'db-url': { type: 'string', value: 'URL', help: 'Checks another database.' },
    schema: {
      type: 'string',
      short: 's',
      multiple: true,
      value: 'SCHEMA',
      help: 'Schemas to check. Default: all schemas of the project.',
    },
    level: { type: 'string', value: 'LEVEL', help: 'Minimum level to print: warning (default) or error.' },
    'fail-on': {
      type: 'string',
      value: 'LEVEL',
      help: 'Minimum level for exit status 1: none (default), warning or error.',
    },
  },
  examples: [
    ['plinth db lint', 'lists all findings'],
    ['plinth db lint --level error --fail-on error', 'fails a CI job if an error is found'],
  ],
  run: async (input) => {
    const level = lintLevelOf(input, 'level') ?? 'warning';
    const failOn = input.text('fail-on') === 'none' ? undefined : lintLevelOf(input, 'fail-on');
    const results = await resultsOf(locationOf(input), input);
    const shown = atLevel(results, level);
    say(unchecked);
    if (results.length === 0) say('No schema errors found');
    if (shown.length > 0) print(jsonText(shown, 2));
    if (failOn === undefined || !hasLevel(shown, failOn)) return 0;
    say(`fail-on is set to ${failOn}, non-zero exit`);
    return 1;
  },
};

function lintLevelOf(input: Input, option: string): LintLevel | undefined {
  const text = input.text(option);
  const level = lintLevels.find((each) => each === text);
  if (text !== undefined && level === undefined)
    throw new UsageError(`--${option}: ${text} must be ${lintLevels.join(' or ')}`);
  return level;
}

async function resultsOf(location: ProjectLocation, input: Input): Promise<LintResult[]> {
  const schemas = input.list('schema');
  const target = databaseTarget(location, input);
  if (target === 'local')
    return await perform<LintResult[]>(location, 'lint', { schemas }, { needs: 'schema', onProgress: say });
  if ('server' in target) return await target.server.call<LintResult[]>('lintDatabase', { schemas });
  const other = await openOtherDatabase(target.url, {
    password: shellEnvironment().SUPABASE_DB_PASSWORD,
    session: 'inspect',
  });
  try {
    return await lint(other.pool, schemas, say);
  } finally {
    await other.stop();
  }
}
