/** Where Node.js keeps what it has compiled of Effect: half of what a process or a worker of a test waits for. */
export declare const compileCache: string
// # sourceMappingURL=compileCache.d.ts.map
