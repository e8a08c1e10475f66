internal import CLibAdwaita
internal import CMalloc
public import ImageCore
internal import ImagePresentingGTK
internal import PhotoFeedModel

/// The desktop app.
public enum PhotoFeedApp {
    /// The name that users see.
    static let name = "Photo Feed"
    /// The identifier of the application for the desktop.
    static let identifier = "io.github.swift_image_loading.PhotoFeed"

    /// An error that prevents the app from starting.
    public enum Failure: Error, CustomStringConvertible {
        /// GTK can't connect to a display.
        case noDisplay
        /// The address of the feed is not a URL.
        case invalidFeed(String)

        /// The error message.
        public var description: String {
            switch self {
            case .noDisplay: "no display: set DISPLAY, or run under Xvfb"
            case .invalidFeed(let address): "invalid feed URL: \(address)"
            }
        }
    }

    /// Initializes GTK and the main loop.
    public static func start() throws {
        guard gtk_init_check() != 0 else { throw Failure.noDisplay }
        GtkMainLoop.attach()
        addIcon()
        setUpAllocator()
    }

    /// Adds the icon beside the program to the theme, which has it already if it is installed.
    static func addIcon() {
        unsafe gtk_window_set_default_icon_name(identifier)
        guard let program = unsafe g_file_read_link("/proc/self/exe", nil) else { return }
        defer { unsafe g_free(program) }
        let name = unsafe String(cString: program)
        let folder = name.prefix(upTo: name.lastIndex(of: "/") ?? name.startIndex)
        let theme = unsafe gtk_icon_theme_get_for_display(gdk_display_get_default())
        unsafe gtk_icon_theme_add_search_path(theme, "\(folder)/gtk-photo-feed_PhotoFeedDesktop.resources/share/icons")
    }

    /// Configures the allocator of the process. Only an app should do this, because it affects all code.
    ///
    /// GTK 4.8 copies each texture for a frame. By default, glibc returns this memory to the system after each frame
    /// and requests it again. It also has a heap per thread, so memory freed by decoding on one thread can't be reused
    /// on others. Two heaps are enough. glibc returns only the end of a heap by itself, so a timer returns the rest.
    private static func setUpAllocator() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 4 << 20)
            mallopt(M_TRIM_THRESHOLD, 16 << 20)
            mallopt(M_ARENA_MAX, 2)
            let trim: GSourceFunc = { _ in
                malloc_trim(0)
                return 1
            }
            unsafe g_timeout_add_seconds_full(G_PRIORITY_LOW, 5, trim, nil, nil)
        #endif
    }

    /// Takes screenshots of the app in several states.
    ///
    /// - Parameter folder: The folder of the PNG files.
    public static func takeScreenshots(into folder: String) throws {
        try start()
        try Screenshots(folder: folder).take()
    }

    /// Shows the window until the user closes it.
    ///
    /// - Parameters:
    ///   - feed: The origin of the feed, such as `http://host:port`, or `nil` for the demo server in this process.
    ///   - cache: The folder of the disk cache, or `nil` for the user's cache folder.
    ///   - color: The color space of images, or `nil` for what GTK can show.
    ///   - usesVariants: Whether the demo server sends images in the size in which they are shown.
    public static func run(feed: String?, cache: String?, color: OutputColor?, usesVariants: Bool) throws {
        try start()
        let origin = try feed == nil ? DemoOrigin() : nil
        let folder = unsafe cache ?? String(cString: g_get_user_cache_dir()) + "/photo-feed"
        let loading = FeedLoading(
            cacheDirectory: URL(filePath: folder), color: color, usesVariants: usesVariants, isolates: true)
        let address = feed ?? origin?.address ?? ""
        guard let model = loading.model(of: address) else { throw Failure.invalidFeed(address) }
        runApplication { FeedWindow(model, loading: loading) }
        origin?.stop()
    }

    /// Runs the application until the user closes its window. If it is started again, the same window is presented.
    private static func runApplication(_ makeWindow: @escaping () -> FeedWindow) {
        unsafe g_set_prgname(identifier)
        unsafe g_set_application_name(name)
        guard let application = unsafe adw_application_new(identifier, G_APPLICATION_DEFAULT_FLAGS) else { return }
        let object = UnsafeMutableRawPointer(application)
        defer { unsafe g_object_unref(object) }
        var window: FeedWindow?
        unsafe GtkWidgetRef.onSignal("activate", of: object) {
            if let window { return window.present() }
            let first = makeWindow()
            unsafe gtk_window_set_application(
                first.window.cast(to: GtkWindow.self), object.assumingMemoryBound(to: GtkApplication.self))
            first.open()
            window = first
        }
        unsafe _ = g_application_run(object.assumingMemoryBound(to: GApplication.self), 0, nil)
        window = nil
    }
}
