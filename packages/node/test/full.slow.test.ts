/** What the ordinary tests run short: the soak, and the laws of transports whose kin keeps them. */
import "./laws.test.ts"
import "./processLaws.test.ts"
import "./soak.test.ts"
import "./webSocketLaws.test.ts"
