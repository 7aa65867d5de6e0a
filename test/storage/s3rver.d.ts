/** The parts of s3rver that the tests use. The package contains no types. */
declare module 's3rver' {
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
    });
    /** Resolves with the address. */
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
