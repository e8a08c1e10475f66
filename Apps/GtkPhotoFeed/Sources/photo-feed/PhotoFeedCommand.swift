public import ArgumentParser
public import ImageCore
import ImageLoaderKit
import PhotoFeedDesktop

@main
enum Main {
    static func main() {
        #if os(Linux)
            ImageWorker.runIfAsked()
        #endif
        PhotoFeedCommand.main()
    }
}

struct PhotoFeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo-feed", abstract: "Shows a feed of photos on the desktop.")

    @Option(help: "The origin of the feed, such as http://host:port. By default a demo server in this process.")
    var feed: String?

    @Option(help: "The folder of the disk cache. By default a folder in the user's cache folder.")
    var cache: String?

    @Option(help: "The color space of images: srgb, p3 or auto. By default auto with GTK 4.16 or later, else srgb.")
    var color: OutputColor?

    @Flag(help: "Loads images in the size in which they are shown, which the demo server makes.")
    var variants = false

    @Option(help: "Takes screenshots of the app in several states into this folder instead.")
    var screenshots: String?

    func run() throws {
        // GTK and the main actor need the process's first thread. An `async` main would move the main actor to another
        // thread.
        try MainActor.assumeIsolated {
            if let screenshots { return try PhotoFeedApp.takeScreenshots(into: screenshots) }
            try PhotoFeedApp.run(feed: feed, cache: cache, color: color, usesVariants: variants)
        }
    }
}

extension OutputColor: @retroactive ExpressibleByArgument {}
