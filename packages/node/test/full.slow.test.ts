/** What the ordinary tests run short: the laws of transports whose kin keeps them. */
import "./laws.test.ts"
import "./processLaws.test.ts"
import "./webSocketLaws.test.ts"
