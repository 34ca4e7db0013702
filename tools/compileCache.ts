import { join } from "node:path"

/** Where Node.js keeps what it has compiled of Effect: half of what a process or a worker of a test waits for. */
export const compileCache = join(import.meta.dirname, "../.tmp/compiled")

/** For a process that does not get our whole environment: without it, a program of ours takes twice as long to start. */
export const compileCacheEnv = { NODE_COMPILE_CACHE: compileCache }
