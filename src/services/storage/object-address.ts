/** The address of an object: its bucket, and its key in the bucket. */
export interface ObjectAddress {
  readonly bucketId: string;
  readonly key: string;
}
