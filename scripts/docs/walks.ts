/** The walks in docs/architecture.md: the functions that data passes on its way through the server. */

export interface Step {
  /** The path of the file, relative to `src/`. */
  readonly file: string;
  /** The function or class that the data passes. An earlier step calls it. */
  readonly name: string;
  readonly does: string;
}

export interface Walk {
  readonly title: string;
  readonly steps: readonly Step[];
}

export const walks: readonly Walk[] = [
  {
    title: 'A REST read',
    steps: [
      {
        file: 'server/gateway/mount.ts',
        name: 'registerMount',
        does: 'mounts the service, replaces the API key with a token and sets the CORS headers',
      },
      {
        file: 'services/rest/routes.ts',
        name: 'restPlugin',
        does: 'reads the HTTP request into a `RestRequest`, and writes the response',
      },
      {
        file: 'services/rest/pipeline.ts',
        name: 'handle',
        does: 'runs the following stages, and turns an error of any stage into a response',
      },
      {
        file: 'services/rest/core/authenticate.ts',
        name: 'authenticate',
        does: 'turns the token into a role and claims',
      },
      {
        file: 'services/rest/core/request.ts',
        name: 'parseHead',
        does: 'parses the query and the headers, and separates the values from the shape of the request',
      },
      {
        file: 'services/rest/core/plan/crud.ts',
        name: 'planCrud',
        does: 'resolves tables, columns and relationships in the schema cache, once per shape',
      },
      {
        file: 'services/rest/core/shapes.ts',
        name: 'compileShape',
        does: 'turns the plan into SQL',
      },
      {
        file: 'services/rest/execute.ts',
        name: 'execute',
        does: 'adds the role, the claims and the settings to the statement',
      },
      {
        file: 'platform/database/path/request-path.ts',
        name: 'execute',
        does: 'runs all of them in one transaction and one write to PostgreSQL',
      },
      {
        file: 'services/rest/core/respond.ts',
        name: 'respond',
        does: 'turns the rows, counts and settings into a status, headers and a body',
      },
    ],
  },
  {
    title: 'A sign-in with a password',
    steps: [
      {
        file: 'services/auth/sign-in/routes.ts',
        name: 'passwordGrant',
        does: 'checks the CAPTCHA and the rate limit, reads the input of `POST /token`, and renders the session',
      },
      {
        file: 'services/auth/sign-in/password.ts',
        name: 'signInWithPassword',
        does: 'makes every decision of the sign-in, in order',
      },
      {
        file: 'services/auth/common/user-queries.ts',
        name: 'findUserByEmail',
        does: 'reads the user',
      },
      {
        file: 'services/auth/limits/verify-secret.ts',
        name: 'verifySecret',
        does: 'reserves an attempt before the password is compared',
      },
      {
        file: 'services/auth/sessions/issue.ts',
        name: 'issueSession',
        does: 'stores the session and signs its tokens',
      },
    ],
  },
  {
    title: 'An upload',
    steps: [
      {
        file: 'services/storage/routes/upload.ts',
        name: 'uploadRoutes',
        does: 'reads the headers and the body of the request',
      },
      {
        file: 'services/storage/write-object.ts',
        name: 'requireUploadable',
        does: "tries to write the row as the caller, and reads the bucket's limits in the same transaction, which is rolled back",
      },
      {
        file: 'services/storage/object-limits.ts',
        name: 'checkUpload',
        does: 'checks the key, the size and the media type',
      },
      {
        file: 'services/storage/write-object.ts',
        name: 'storeUpload',
        does: 'writes the bytes under a new version',
      },
      {
        file: 'services/storage/write-object.ts',
        name: 'writeRow',
        does: 'writes the row, as the caller or as the service, and removes the bytes of the previous version',
      },
    ],
  },
  {
    title: 'A change on its way to a socket',
    steps: [
      {
        file: 'services/realtime/changes/feed.ts',
        name: 'createFeed',
        does: 'owns the stream and everything that follows',
      },
      {
        file: 'services/realtime/changes/replication-stream.ts',
        name: 'createStream',
        does: 'reads the replication slot',
      },
      {
        file: 'services/realtime/core/pgoutput.ts',
        name: 'createDecoder',
        does: 'decodes the messages of the slot',
      },
      {
        file: 'services/realtime/changes/change-queue.ts',
        name: 'ChangeQueue',
        does: 'collects the changes of committed transactions into batches',
      },
      {
        file: 'services/realtime/changes/registry.ts',
        name: 'audienceOf',
        does: 'finds the subscriptions to the table',
      },
      {
        file: 'services/realtime/changes/deliver.ts',
        name: 'deliverBatch',
        does: 'decides which subscriber receives which change, and sends the frames',
      },
      {
        file: 'services/realtime/changes/checks.ts',
        name: 'visibleRows',
        does: "evaluates the table's policies once for each set of claims",
      },
    ],
  },
];
