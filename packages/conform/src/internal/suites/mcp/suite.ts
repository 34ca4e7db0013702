/** The suite `mcp`: what the Model Context Protocol asks of every server, in the eras that it speaks. */
import * as Suite from "../../../Suite.ts"
import type { Found } from "../../protocol/mcp/Discovery.ts"
import type { Run } from "../../protocol/Protocol.ts"
import * as batches from "./base/batches.ts"
import * as cancellation from "./base/cancellation.ts"
import * as capabilities from "./base/capabilities.ts"
import * as lifecycle from "./base/lifecycle.ts"
import * as messages from "./base/messages.ts"
import * as methods from "./base/methods.ts"
import * as pagination from "./base/pagination.ts"
import * as progress from "./base/progress.ts"
import * as calls from "./features/calls.ts"
import * as logging from "./features/logging.ts"
import * as prompts from "./features/prompts.ts"
import * as resources from "./features/resources.ts"
import * as subscriptions from "./features/subscriptions.ts"
import * as tasks from "./features/tasks.ts"
import * as tools from "./features/tools.ts"
import * as authorization from "./http/authorization.ts"
import * as origins from "./http/origins.ts"
import * as posts from "./http/posts.ts"
import * as resumption from "./http/resumption.ts"
import * as sessions from "./http/sessions.ts"
import * as versions from "./http/versions.ts"
import * as envelope from "./modern/envelope.ts"
import * as results from "./modern/results.ts"
import type { McpRule } from "./Rule.ts"
import * as Subject from "./Subject.ts"

/** Rules that look at what has passed come last: then most has passed. */
const rules: ReadonlyArray<McpRule> = [
  ...lifecycle.rules,
  ...batches.rules,
  ...envelope.rules,
  ...methods.rules,
  ...capabilities.rules,
  ...pagination.rules,
  ...tools.rules,
  ...calls.rules,
  ...tasks.rules,
  ...resources.rules,
  ...prompts.rules,
  ...logging.rules,
  ...subscriptions.rules,
  ...cancellation.rules,
  ...posts.rules,
  ...sessions.rules,
  ...resumption.rules,
  ...versions.rules,
  ...origins.rules,
  ...authorization.rules,
  ...messages.watching,
  ...capabilities.watching,
  ...resources.watching,
  ...logging.watching,
  ...progress.watching,
  ...results.watching,
  ...posts.watching,
  ...resumption.watching
]

/** The suite for a server that was found. */
export const suiteOf = (found: Found): Suite.Suite<Run> =>
  Suite.make({ ...info, prepare: (run: Run) => Subject.make(run, found), rules })

/** What the suite says of itself, whatever the server. */
export const info = {
  name: "mcp",
  title: "The Model Context Protocol: each MUST and SHOULD of a server, in the eras that it speaks",
  rules
}
