/** Provides databases for tests. Most tests need only {@link createTestDatabase}. */
export {
  createTestDatabase,
  openTestDatabase,
  resetTestCluster,
  startTestCluster,
  stopTestCluster,
  type Template,
  type TestCluster,
  type TestDatabase,
  type TestServerAddress,
  testTarget,
} from './testing/test-cluster.ts';
