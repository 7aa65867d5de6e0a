/** The routes that ask a model for SQL. No code that sends requests is loaded unless the operator names an endpoint. */
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import type { contract, Question } from './contract.ts';

export interface AskDeps {
  readonly database: Database;
  readonly config: LiveConfig;
  readonly audit: Audit;
}

/** The maximum number of questions that are answered concurrently. */
const maxAtOnce = 3;

export function askRoutes(api: Api, { database, config, audit }: AskDeps): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  let running = 0;
  /** Questions are counted one after another, so that concurrent questions can't exceed the limit. */
  let counting: Promise<unknown> = Promise.resolve();

  const settings = () => {
    const { url, model, ...ask } = config.current.plinth.console.ask;
    return { ...ask, model, url: url === undefined || url === '' || model === '' ? undefined : url };
  };

  function requireEnabled() {
    const { url, ...ask } = settings();
    if (url === undefined)
      throw new ConsoleError('refused', {
        message: 'No model is configured. Set url and model under [console.ask] in plinth.toml.',
      });
    return { ...ask, url };
  }

  async function messages(question: Question) {
    if (question.rows !== undefined && !settings().allow_rows)
      throw new ConsoleError('refused', {
        message: 'Rows are only sent if [console.ask] allow_rows is set.',
      });
    const [{ selectTables }, { messagesFor }] = await Promise.all([
      import('./queries.ts'),
      import('./core/prompt.ts'),
    ]);
    return messagesFor(question, await selectTables(db));
  }

  /** Records the question in the audit log. @throws {ConsoleError} busy if the daily limit is reached */
  async function admit(
    call: RouteCall<string, (typeof contract)['POST /ask']>,
    detail: object,
  ): Promise<void> {
    const { countQuestions } = await import('./queries.ts');
    const { model, max_questions_per_day: max } = settings();
    const admitted = counting.then(async () => {
      if ((await countQuestions(db)) >= max)
        throw new ConsoleError('busy', {
          message: `The limit of ${max} questions in 24 hours is reached ([console.ask] max_questions_per_day).`,
        });
      await audit(call, 'sql.ask', model, detail);
    });
    counting = admitted.catch(() => undefined);
    await admitted;
  }

  route('GET /ask', 'read', async () => {
    const { url, model, allow_rows: allowsRows, max_questions_per_day: maxPerDay } = settings();
    return {
      isEnabled: url !== undefined,
      model,
      endpoint: url !== undefined && URL.canParse(url) ? new URL(url).origin : '',
      allowsRows,
      maxPerDay,
      askedToday: url === undefined ? 0 : await (await import('./queries.ts')).countQuestions(db),
    };
  });
  route('POST /ask/preview', 'write', async (call) => {
    requireEnabled();
    return { messages: await messages(await call.body()) };
  });
  route('POST /ask', 'write', async (call) => {
    const { url, model, key, timeout: timeoutMs } = requireEnabled();
    const question = await call.body();
    const sent = await messages(question);
    if (running >= maxAtOnce) throw new ConsoleError('busy', { waitSeconds: 2 });
    running++;
    try {
      await admit(call, {
        question: question.question.slice(0, 300),
        endpoint: URL.canParse(url) ? new URL(url).origin : '',
        characters: sent.reduce((sum, { content }) => sum + content.length, 0),
        rows: question.rows?.rows.length ?? 0,
      });
      const { answer } = await import('./answer.ts');
      const lines = answer({ url, name: model, key, timeoutMs }, sent, {
        sql: question.sql,
        socket: call.reply.raw,
        onEnd: () => running--,
      });
      return call.reply.type('application/x-ndjson; charset=utf-8').send(lines);
    } catch (error) {
      running--;
      throw error;
    }
  });
}
