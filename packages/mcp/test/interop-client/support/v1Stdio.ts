/** The server of `v1.ts` on the stdio of a process of its own. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import * as occasions from "./occasions.ts"
import * as v1 from "./v1.ts"

await v1.make(occasions.make()).connect(new StdioServerTransport())
