import ImageLoadTool

@main
enum Main {
    static func main() async {
        await ImageLoadCommand.run()
    }
}
