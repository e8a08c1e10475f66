internal import CGtk
internal import GtkImageUI
internal import PhotoFeedModel

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The program: one window on a feed.
public enum PhotoFeedApp {
    public enum Failure: Error, CustomStringConvertible {
        case noDisplay
        case noFeed(String)

        public var description: String {
            switch self {
            case .noDisplay: "there is no display: set DISPLAY, or run under Xvfb"
            case .noFeed(let address): "not the address of a feed: \(address)"
            }
        }
    }

    public static func start() throws {
        guard gtk_init_check() != 0 else { throw Failure.noDisplay }
        GtkMainLoop.attach()
        setUpAllocator()
    }

    /// The allocator is the process's, so this is the program's affair and no library's.
    ///
    /// GTK 4.8 paints each texture through a copy that lives for one frame: the system's allocator would give that memory back after each, and fetch
    /// it page by page for the next. And it has a heap for each thread, in which what is decoded leaves gaps that no other thread may fill: one beside
    /// the main thread's is enough.
    private static func setUpAllocator() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 4 << 20)
            mallopt(M_TRIM_THRESHOLD, 16 << 20)
            mallopt(M_ARENA_MAX, 2)
        #endif
    }

    /// Has the program take its images of itself.
    public static func takeScreenshots(into folder: String) throws {
        try start()
        try Screenshots(folder: folder).take()
    }

    /// Scrolls through a feed of so many photos and returns a report; the plot goes into the folder.
    public static func measureScroll(into folder: String, photos: Int) throws -> String {
        try start()
        return try ScrollStudy(folder: folder, photoCount: photos).run()
    }

    /// Shows the window until the user closes it.
    ///
    /// - Parameters:
    ///   - feed: the origin; nil starts one.
    ///   - cache: where originals are kept; nil for the user's folder for such things.
    public static func run(feed: String?, cache: String?) throws {
        try start()
        let origin = try feed == nil ? OriginProcess(OriginProcess.program, options: []) : nil
        let folder = unsafe cache ?? String(cString: g_get_user_cache_dir()) + "/photo-feed"
        let loading = FeedLoading(cacheDirectory: URL(filePath: folder))
        let address = feed ?? origin?.address ?? ""
        guard let model = loading.model(of: address) else { throw Failure.noFeed(address) }
        let window = FeedWindow(model, loading: loading)
        var isOpen = true
        window.onClose { isOpen = false }
        window.open()
        while isOpen { GtkMainLoop.step() }
        origin?.stop()
    }
}
