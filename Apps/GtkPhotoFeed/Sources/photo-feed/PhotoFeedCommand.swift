import ArgumentParser
import PhotoFeedDesktop

@main
struct PhotoFeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo-feed", abstract: "Shows a feed of photos on the desktop.")

    @Option(help: "The origin of the feed, such as http://host:port. Starts FeedServer by default.")
    var feed: String?

    @Option(help: "The folder of the disk cache. By default a folder in the user's cache folder.")
    var cache: String?

    @Option(help: "Takes screenshots of the app in several states into this folder instead.")
    var screenshots: String?

    @Option(
        help:
            "Measures scrolling through a feed instead, prints a report, and writes a plot into this folder."
    )
    var benchmark: String?

    @Option(help: "The number of photos in the benchmark.")
    var photos = 1000

    func run() throws {
        // GTK and the main actor need the process's first thread. An `async` main would move the main actor to another
        // thread.
        try MainActor.assumeIsolated {
            if let screenshots { return try PhotoFeedApp.takeScreenshots(into: screenshots) }
            if let benchmark {
                return print(try PhotoFeedApp.measureScroll(into: benchmark, photos: photos))
            }
            try PhotoFeedApp.run(feed: feed, cache: cache)
        }
    }
}
