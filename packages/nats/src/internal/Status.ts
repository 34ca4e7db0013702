/**
 * The status messages of the server of NATS, and the subjects that only the server uses.
 */
import { createInbox, type Msg } from "@nats-io/transport-node"
import type { NatsClient } from "../NatsClient.ts"

/** Whether the server reports that the subject of a message has no subscriber. */
export const isNobody = ({ data, headers }: Msg): boolean => data.length === 0 && headers?.code === 503

/**
 * The subject at which the sender of a message wants its answer, if any. Below `$` are those of the server, such as the API of
 * JetStream: who may only call us must not do by our permissions what the sender may not.
 */
export const replyOf = ({ reply = "" }: Pick<Msg, "reply">): string | undefined =>
  reply === "" || reply.startsWith("$") ? undefined : reply

/** A subject for answers, which cannot be guessed. */
export const newInbox = (): string => createInbox()

/** A subject of the server that we are connected to, as a URL. */
export const addressOf = ({ connection }: Pick<NatsClient, "connection">, subject: string): string =>
  `nats://${connection.getServer()}/${subject}`
