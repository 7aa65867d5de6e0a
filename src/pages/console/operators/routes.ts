import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Mailer } from '../../../services/mail/types.ts';
import type { Audit } from '../audit.ts';
import type { Branches } from '../branches/types.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import * as people from '../queries.ts';
import { type Api, anyTime, type Call, fresh, freshByInput } from '../routes/api.ts';
import { requireFresh, type Sessions } from '../sessions.ts';
import type { Factors } from './factors.ts';
import { invitationMail } from './invitation-mail.ts';
import * as queries from './queries.ts';

export interface OperatorDeps {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly factors: Factors;
  readonly factorRequired: () => boolean;
  readonly linkOf: (token: string) => string;
  readonly mailer: Mailer;
  readonly config: LiveConfig;
  readonly audit: Audit;
  /** Undefined if this server can't have branches. */
  readonly branches: Pick<Branches, 'operatorsChanged'> | undefined;
}

/** An invitation is sent to another person, so its link is valid for longer than a link printed in a terminal. */
const invitationSeconds = 24 * 3600;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function operatorRoutes(api: Api, deps: OperatorDeps): void {
  const { database, sessions, factorRequired, audit } = deps;
  const db = database.pool('supabase_admin');
  const route = api.feature(() => import('./contract.ts'));

  const idOf = ({ request }: Call): string => {
    const { id = '' } = request.params as { id?: string };
    if (!uuid.test(id)) throw new ConsoleError('not_found');
    return id;
  };
  async function operatorOf(call: Call) {
    const operator = await queries.findById(db, idOf(call));
    if (operator === undefined)
      throw new ConsoleError('not_found', { message: "This operator doesn't exist." });
    return operator;
  }
  /** Creates a sign-in link, which replaces the operator's previous links. */
  const invitation = async (id: string) => {
    await queries.removeLinks(db, id);
    return {
      link: deps.linkOf(await sessions.linkTokenFor(id, invitationSeconds)),
      expiresAt: new Date(Date.now() + invitationSeconds * 1000).toISOString(),
    };
  };
  const projectName = (): string => {
    const { plinth, project_id } = deps.config.current;
    return plinth.branding.name || project_id;
  };
  const canSendMail = (): boolean => deps.config.current.auth.email.smtp.enabled;

  route('GET /operators', 'read', async () => ({
    operators: await queries.listOperators(db),
    factorRequired: factorRequired(),
    canSendMail: canSendMail(),
  }));
  route('POST /operators', fresh('own'), async (call) => {
    const { name, role } = await call.body();
    const made = await people.createOperator(db, name, role);
    if (made === undefined)
      throw new ConsoleError('taken', {
        message: `An operator named ${name} already exists.`,
        column: 'name',
      });
    await audit(call, 'operator.invite', name, { role });
    return { operator: made, ...(await invitation(made.id)) };
  });
  route('POST /operators/:id/link', fresh('own'), async (call) => {
    const operator = await operatorOf(call);
    await audit(call, 'operator.link', operator.name);
    return invitation(operator.id);
  });
  route('POST /operators/:id/link/send', fresh('own'), async (call) => {
    const { email } = await call.body();
    const operator = await operatorOf(call);
    // Without SMTP, the email would be stored in the inbox, where developers could use the sign-in link of an owner.
    if (!canSendMail())
      throw new ConsoleError('refused', {
        message: 'No SMTP server is configured, so emails can’t be sent. Copy the link instead.',
      });
    const { link, expiresAt } = await invitation(operator.id);
    await audit(call, 'operator.send-link', operator.name, { email });
    const mail = invitationMail({
      to: email,
      project: projectName(),
      operator: operator.name,
      invitedBy: call.operator.name,
      link,
      expiresAt: new Date(expiresAt),
    });
    try {
      await deps.mailer.sendMail(mail);
    } catch (error) {
      throw new ConsoleError('upstream', { message: `The email was rejected: ${(error as Error).message}` });
    }
    return { expiresAt };
  });
  route('DELETE /operators/:id/link', anyTime('own'), async (call) => {
    const operator = await operatorOf(call);
    await queries.removeLinks(db, operator.id);
    await audit(call, 'operator.revoke-link', operator.name);
  });
  route('PATCH /operators/:id', fresh('own'), async (call) => {
    const { role } = await call.body();
    const operator = await operatorOf(call);
    await db.transaction(async (tx) => {
      await queries.lockOperators(tx);
      if (role !== 'owner') await keepAnOwner(tx, operator.id);
      await queries.setRole(tx, operator.id, role);
    });
    await audit(call, 'operator.role', operator.name, { from: operator.role, to: role });
    await deps.branches?.operatorsChanged();
    return { ...operator, role };
  });
  route('DELETE /operators/:id', fresh('own'), async (call) => {
    const operator = await operatorOf(call);
    await db.transaction(async (tx) => {
      await queries.lockOperators(tx);
      await keepAnOwner(tx, operator.id);
      await queries.removeOperator(tx, operator.id);
    });
    await audit(call, 'operator.remove', operator.name, { role: operator.role });
    await deps.branches?.operatorsChanged();
  });
  route('DELETE /operators/:id/factor', fresh('own'), async (call) => {
    const operator = await operatorOf(call);
    await db.transaction(async (tx) => {
      await queries.removeFactor(tx, operator.id);
      await queries.endSessionsOf(tx, operator.id, call.operator.sessionId);
    });
    await audit(call, 'operator.reset-factor', operator.name);
  });

  /** Owners can see and end the sessions of all operators. Other operators can see and end only their own sessions. */
  const scopeOf = ({ operator }: Call): string | undefined =>
    may(operator.role, 'own') ? undefined : operator.id;
  route('GET /sessions', 'read', async (call) => ({
    sessions: await queries.listSessions(db, scopeOf(call), call.operator.sessionId),
  }));
  route(
    'DELETE /sessions/:id',
    'read',
    async (call) => {
      const name = await queries.endSession(db, idOf(call), scopeOf(call));
      if (name === undefined) throw new ConsoleError('not_found', { message: 'This session has ended.' });
      await audit(call, 'session.end', name, { id: idOf(call) });
    },
    { changes: 'own session' },
  );

  factorRoutes(api, deps);

  route('GET /audit', 'read', async (call) => {
    const { limit, ...filter } = await call.query();
    const entries = await queries.listAudit(db, filter, limit + 1, may(call.operator.role, 'secrets'));
    return { entries: entries.slice(0, limit), more: entries.length > limit };
  });
  route('GET /audit/facets', 'read', async () => {
    const rows = await queries.auditFacets(db);
    return {
      operators: [...new Set(rows.map(({ operator_name }) => operator_name))],
      actions: [...new Set(rows.map(({ action }) => action))].sort(),
    };
  });
}

async function keepAnOwner(tx: Parameters<typeof queries.otherOwners>[0], id: string): Promise<void> {
  const operator = await queries.findById(tx, id);
  if (operator?.role === 'owner' && (await queries.otherOwners(tx, id)) === 0)
    throw new ConsoleError('last_owner');
}

/**
 * Adds the routes with which operators manage their own second factor. Routes with `beforeFactor` can be called before
 * the operator has verified the second factor.
 */
function factorRoutes(api: Api, { factors, sessions, database, audit }: OperatorDeps): void {
  const db = database.pool('supabase_admin');
  const own = { changes: 'own session', beforeFactor: true } as const;
  const route = api.feature(() => import('./contract.ts'));

  route('GET /factor', 'read', async ({ operator }) => {
    const factor = await queries.findFactor(db, operator.id);
    return { confirmed: factor?.confirmed ?? false, recoveryCodesLeft: factor?.recovery_codes_left ?? 0 };
  });
  route(
    'POST /factor',
    freshByInput('read'),
    async ({ operator }) => {
      // If the operator already has a second factor, `begin` rejects the request.
      if (operator.factor === 'none' || operator.factor === 'missing') requireFresh(operator);
      return factors.begin(operator);
    },
    own,
  );
  route(
    'POST /factor/confirm',
    'read',
    async (call) => {
      const response = await factors.confirm(call.operator, (await call.body()).code);
      await audit(call, 'factor.add', call.operator.name);
      return response;
    },
    own,
  );
  route(
    'POST /factor/prove',
    'read',
    async (call) => {
      const code = (await call.body()).code;
      try {
        const by = await factors.prove(call.operator, code);
        await audit(call, 'factor.prove', call.operator.name, { by });
      } catch (error) {
        if (error instanceof ConsoleError && error.code === 'code_wrong')
          await audit(call, 'factor.refuse', call.operator.name);
        throw error;
      }
      return sessions.described({ ...call.operator, factor: 'proven', isFresh: true });
    },
    own,
  );
  route(
    'DELETE /factor',
    'read',
    async (call) => {
      await factors.remove(call.operator, (await call.body()).code);
      await audit(call, 'factor.remove', call.operator.name);
    },
    { changes: 'own session' },
  );
}
