/** The stories of sessions, told again where each request reaches another node than the one before it. */
import { onNodes } from "../http-server/support/web.ts"

onNodes(2)

await import("../http-server/sessions.test.ts")
await import("../http-server/streams.test.ts")
await import("../http-server/resumption/resuming.test.ts")
await import("../http-server/unanswered.test.ts")
