import ArgumentParser
import PhotoFeedDesktop

@main
struct PhotoFeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo-feed", abstract: "A feed of photos on the desktop.")

    @Option(help: "The feed's origin, http://host:port. Unless it is given, FeedServer is started.")
    var feed: String?

    @Option(help: "Where originals are kept; a folder of its own for each origin unless given.")
    var cache: String?

    @Option(help: "Shows nothing but takes images of itself, in each state, into this folder.")
    var screenshots: String?

    @Option(
        help:
            "Shows nothing but scrolls through a feed and back, twice, prints what that cost, and puts a plot into this folder."
    )
    var benchmark: String?

    @Option(help: "How many photos the benchmark's feed has.")
    var photos = 1000

    func run() throws {
        // GTK and the main actor have to have the process's first thread, which an asynchronous `main` would not keep.
        try MainActor.assumeIsolated {
            if let screenshots { return try PhotoFeedApp.takeScreenshots(into: screenshots) }
            if let benchmark {
                return print(try PhotoFeedApp.measureScroll(into: benchmark, photos: photos))
            }
            try PhotoFeedApp.run(feed: feed, cache: cache)
        }
    }
}
