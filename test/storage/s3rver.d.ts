/** Declares the parts of s3rver that the tests use, because the package doesn't contain types. */
declare module 's3rver' {
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
    });
    /** Where the server stores objects. */
    readonly store: { putObject(object: { content: Buffer | NodeJS.ReadableStream }): Promise<unknown> };
    /** Koa's middleware, in the order in which it runs. */
    readonly middleware: ((context: { readonly url: string }, next: () => Promise<void>) => Promise<void>)[];
    /** Creates the configured buckets that don't exist. */
    configureBuckets(): Promise<unknown>;
    /** Starts the server and resolves with its address. */
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
