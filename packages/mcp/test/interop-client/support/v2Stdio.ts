/** The server of `v2.ts` on the stdio of a process of its own, in the era that its client begins with. */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as occasions from "./occasions.ts"
import * as v2 from "./v2.ts"

const shared = occasions.make()

serveStdio(() => v2.make(shared))
