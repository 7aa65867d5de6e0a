import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    port: 5173,
    // These folders aren't watched. The database writes to the first one all the time, and the backend reloads
    // functions itself.
    watch: { ignored: ['**/.plinth/**', '**/supabase/**'] },
  },
});
