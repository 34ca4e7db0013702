/** Searches that the ordinary tests cut short. */
import "./http-server/quota/story.test.ts"
import "./schema/pattern.test.ts"
