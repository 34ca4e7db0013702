/**
 * The tasks of a server, for its client: their parts, joined.
 */
import type { CallClock } from "@parley/peer/CallClock"
import type { TaskSubject } from "../../../client/ClientOptions.ts"
import type { TaskHandle } from "../../../client/McpTask.ts"
import type { Task } from "../../../payload/Tasks.ts"
import type { Answer } from "../answers/Answers.ts"
import { mostAtOnce } from "../answers/InputRounds.ts"
import type { Sender } from "../calls/Sender.ts"
import type { Notices } from "../changes/Notices.ts"
import type * as ListReader from "../lists/ListReader.ts"
import type { ClientConfig } from "../negotiation/ClientConfig.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import * as TaskFollower from "./TaskFollower.ts"
import * as TaskHandles from "./TaskHandles.ts"
import * as TaskRequests from "./TaskRequests.ts"
import * as TaskResults from "./TaskResults.ts"

/** @internal */
export interface Options {
  readonly session: ClientSession
  readonly sender: Sender
  readonly notices: Notices
  readonly answer: Answer
  readonly clock: CallClock
  readonly config: ClientConfig
  readonly list: ReturnType<typeof ListReader.make>
  /** Whether a request may succeed after another one has lost its connection. */
  readonly isLasting: boolean
  readonly listen: TaskFollower.Options["listen"]
  readonly check: TaskHandles.Options["check"]
}

/** @internal */
export interface ClientTasks extends TaskHandles.TaskHandles {
  readonly task: (id: string, options?: TaskSubject) => TaskHandle
  readonly list: ListReader.ListReader<Task>
}

/** @internal */
export const make = (options: Options): ClientTasks => {
  const { answer, check, clock, config, isLasting, list, listen, notices, sender, session } = options
  const { declares, maxTimeout, timeout } = config.tasks
  const requests = TaskRequests.make(sender, session, declares, isLasting)
  const follow = TaskFollower.make({ session, notices, requests, clock, listen, timeout, maxTimeout })
  const mostQuestions = config.rounds * mostAtOnce
  const settle = TaskResults.make({ session, requests, follow, answer, clock, mostQuestions })
  const handles = TaskHandles.make({ requests, follow, settle, check })
  return {
    ...handles,
    task: (id, { tool, ...options } = {}) => handles.handle({ id, tool, options }),
    list: list({ method: "tasks/list", decoder: ({ decode }) => decode.taskPage, entries: ({ tasks }) => tasks })
  }
}
