import { join } from "node:path"
/** Where Node.js keeps what it has compiled of Effect: half of what a process or a worker of a test waits for. */
export const compileCache = join(import.meta.dirname, "../.tmp/compiled")
// # sourceMappingURL=compileCache.js.map
