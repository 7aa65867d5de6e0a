/** Describes problems in alerts: what identifies a problem, its kind, its text and the page that shows it. */
import type { AlertKind } from '../../../../base/shared/alerts.ts';
import type { Problem } from '../../home/contract.ts';

export interface DescribedProblem {
  /** Identifies the problem while it lasts, even if its text changes. */
  readonly key: string;
  readonly kind: AlertKind;
  readonly severity: 'error' | 'warning';
  readonly title: string;
  /** The Console's page that shows the problem, such as `/backups`. */
  readonly page: string;
}

/** The maximum length of a title, which can contain an error message. */
const maxTitleChars = 500;

/** Returns undefined for problems that aren't reported, such as settings that take effect after a restart. */
export function describeProblem(problem: Problem): DescribedProblem | undefined {
  const described = partsOf(problem);
  if (described === undefined) return undefined;
  const title = described.title.replaceAll(/\s+/g, ' ').trim();
  const isLong = title.length > maxTitleChars;
  return {
    ...described,
    severity: problem.severity,
    title: isLong ? `${title.slice(0, maxTitleChars - 1)}…` : title,
  };
}

function partsOf(problem: Problem): Omit<DescribedProblem, 'severity'> | undefined {
  switch (problem.kind) {
    case 'service':
      return {
        key: `service ${problem.service}`,
        kind: 'services',
        title: `${problem.service}: ${problem.fault}`,
        page: pageOf('/logs', { level: 'warn' }),
      };
    case 'condition':
      return {
        key: problem.part,
        kind: problem.part === 'disk' ? 'disk' : 'certificates',
        title: problem.message,
        page: pageOf('/logs', { level: 'warn' }),
      };
    case 'node':
      return {
        key: `node ${problem.node} ${problem.check}`,
        kind: 'nodes',
        title: `${problem.node}: ${problem.check}: ${problem.message}`,
        page: '/nodes',
      };
    case 'node-missing':
      // A node that was removed on purpose is reported as gone until it is forgotten.
      return problem.isGone
        ? undefined
        : {
            key: `node ${problem.node}`,
            kind: 'nodes',
            title: `${problem.node} doesn’t answer`,
            page: '/nodes',
          };
    case 'server-errors':
      return {
        key: `server-errors ${problem.service}`,
        kind: 'server-errors',
        title: `${problem.service} answered ${count(problem.count, 'request')} with a 5xx status in ten minutes`,
        page: pageOf('/logs', { service: problem.service, status: '5', minutes: '60' }),
      };
    case 'job':
      return {
        key: `job ${problem.job}`,
        kind: 'jobs',
        title: `The job ${problem.name} fails: ${problem.failures} of its last 10 runs`,
        page: pageOf('/jobs/cron', { id: problem.job }),
      };
    case 'backup':
      return {
        key: 'backup',
        kind: 'backups',
        title: problem.message === null ? 'The backups are overdue' : `Backups fail: ${problem.message}`,
        page: '/backups',
      };
    case 'advisors':
      return problem.category === 'SECURITY'
        ? {
            key: 'advisors',
            kind: 'security',
            title: `The advisors found ${count(problem.errors + problem.warnings, 'security problem')}`,
            page: pageOf('/advisors', { type: 'security' }),
          }
        : undefined;
    case 'slow-statement':
    case 'slower-statement':
    case 'new-statement':
      return {
        key: `statement ${problem.id} ${problem.role}`,
        kind: 'statements',
        title: statementTitle(problem),
        page:
          problem.kind === 'slow-statement'
            ? pageOf('/queries/statements', { order: 'mean', id: problem.id, as: problem.role })
            : pageOf('/queries/history', { range: '24h', id: problem.id, as: problem.role }),
      };
    case 'sign-in-attack':
      return {
        key: 'sign-in-attack',
        kind: 'sign-in-attacks',
        title: `${count(problem.failures, 'wrong password or code', 'wrong passwords or codes')} for ${count(problem.accounts, 'account')} in ten minutes`,
        page: pageOf('/logs', { service: 'auth', status: '4', minutes: '60' }),
      };
    case 'provider':
      return {
        key: `provider ${problem.provider}`,
        kind: 'settings',
        title: `Sign-in with ${problem.title} fails, because settings are missing: ${problem.missing.join(', ')}`,
        page: pageOf('/settings', { section: 'providers' }),
      };
    case 'invalid-settings':
      return {
        key: 'settings',
        kind: 'settings',
        title: `The settings files contain ${count(problem.count, 'error')}, so changes don’t take effect`,
        page: '/settings',
      };
    case 'unchecked':
    case 'restart':
      return undefined;
  }
}

/** Returns the address of a page as the Console's router writes it, which quotes texts that would be other values. */
function pageOf(path: string, search: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(
    Object.entries(search).map(([name, text]) => [name, isJson(text) ? JSON.stringify(text) : text]),
  );
  return `${path}?${query}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type StatementProblem = Extract<Problem, { readonly meanMs: number }>;

function statementTitle(problem: StatementProblem): string {
  const mean = `${Math.round(problem.meanMs)} ms on average`;
  const calls = `${count(problem.calls, 'call')} by ${problem.role}`;
  if (problem.kind === 'slow-statement') return `A statement takes ${mean} (${calls})`;
  if (problem.kind === 'new-statement') return `A new statement takes much of the time: ${mean} (${calls})`;
  return `A statement has become slower: ${mean}, before ${Math.round(problem.beforeMs ?? 0)} ms (${calls})`;
}

const count = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`;
